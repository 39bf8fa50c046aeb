export interface Point {
  x: number;
  y: number;
}

/** Smallest ratio of width to height of a horizontal movement. */
const minWidthToHeight = 1.5;

/** Distance of a horizontal movement in px, negative to the left; 0 for a vertical movement and for a tap. */
export const measureHorizontalDistance = (from: Point, to: Point, minimumPx = 10): number => {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  return Math.abs(dx) >= minimumPx && Math.abs(dx) > minWidthToHeight * Math.abs(dy) ? dx : 0;
};
