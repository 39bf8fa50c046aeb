import { type Point } from '@/lib/swipe';

/** How a picture is shown: its scale, and how far its middle is from the middle of the frame, in px. */
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

/** Scales by `factor` so that what was at `from` is at `to` then. Both are relative to the middle of the frame. */
export const zoomedBy = (zoom: Zoom, factor: number, from: Point, to: Point = from): Zoom => {
  const scale = clamp(zoom.scale * factor, 1, maxScale);
  const growth = scale / zoom.scale;
  return { scale, x: to.x - (from.x - zoom.x) * growth, y: to.y - (from.y - zoom.y) * growth };
};

/** Moved as little as needed to leave no gap beside a picture that is larger than the frame; a smaller one is centred. */
export const keptInFrame = ({ scale, x, y }: Zoom, picture: Size, frame: Size): Zoom => {
  const overhang = (length: number, room: number): number => Math.max(0, (length * scale - room) / 2);
  const sideways = overhang(picture.width, frame.width);
  const upright = overhang(picture.height, frame.height);
  return { scale, x: clamp(x, 0 - sideways, sideways), y: clamp(y, 0 - upright, upright) };
};
