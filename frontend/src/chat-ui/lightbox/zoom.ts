import { type Point } from '@/lib/swipe';

/** Scale of a picture, and the offset of its centre from the centre of the frame (the area that shows it), in px. */
export interface Zoom extends Point {
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

export const unzoomed: Zoom = { scale: 1, x: 0, y: 0 };

const maxScale = 4;

const clamp = (value: number, minimum: number, maximum: number): number =>
  Math.min(Math.max(value, minimum), maximum);

/**
 * Scales a picture by `factor` so that its point at `from` moves to `to`. Both are relative to the centre of the frame,
 * in px. The resulting scale is between 1 and `maxScale`.
 */
export const zoomBy = (zoom: Zoom, factor: number, from: Point, to: Point = from): Zoom => {
  const scale = clamp(zoom.scale * factor, 1, maxScale);
  const growth = scale / zoom.scale;
  return { scale, x: to.x - (from.x - zoom.x) * growth, y: to.y - (from.y - zoom.y) * growth };
};

/** On each axis, moves a picture as little as needed to leave no gap, or centres one smaller than the frame. */
export const keepInFrame = ({ scale, x, y }: Zoom, picture: Size, frame: Size): Zoom => {
  // How far the scaled picture extends beyond the frame on each side, in px.
  const computeOverhang = (pictureLength: number, frameLength: number): number =>
    Math.max(0, (pictureLength * scale - frameLength) / 2);
  const overhangX = computeOverhang(picture.width, frame.width);
  const overhangY = computeOverhang(picture.height, frame.height);
  return {
    scale,
    // `0 - overhang`, because `-overhang` is -0 for a picture without an overhang.
    x: clamp(x, 0 - overhangX, overhangX),
    y: clamp(y, 0 - overhangY, overhangY),
  };
};
