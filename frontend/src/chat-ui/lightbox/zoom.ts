import { type Point } from '@/lib/swipe';

/** Scale of the picture, and the offset of its centre from the centre of the frame, in px. */
export interface Zoom extends Point {
  scale: number;
}

export interface Size {
  width: number;
  height: number;
}

export const atRest: Zoom = { scale: 1, x: 0, y: 0 };

const maxScale = 4;

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/**
 * Scales by `factor` so that the point at `from` moves to `to`. Both are relative to the centre of the frame, in px.
 */
export const zoomedBy = (zoom: Zoom, factor: number, from: Point, to: Point = from): Zoom => {
  const scale = clamp(zoom.scale * factor, 1, maxScale);
  const growth = scale / zoom.scale;
  return { scale, x: to.x - (from.x - zoom.x) * growth, y: to.y - (from.y - zoom.y) * growth };
};

/** Moves the picture as little as needed to leave no gap beside it. A picture smaller than the frame is centred. */
export const keptInFrame = ({ scale, x, y }: Zoom, picture: Size, frame: Size): Zoom => {
  const overhang = (length: number, room: number): number => Math.max(0, (length * scale - room) / 2);
  const horizontalDistance = overhang(picture.width, frame.width);
  const upright = overhang(picture.height, frame.height);
  return {
    scale,
    x: clamp(x, 0 - horizontalDistance, horizontalDistance),
    y: clamp(y, 0 - upright, upright),
  };
};
