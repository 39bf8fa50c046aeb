export interface Point {
  x: number;
  y: number;
}

/** Smallest ratio of width to height of a horizontal movement. */
const minWidthToHeight = 1.5;

/**
 * Measures how far a horizontal swipe has moved, in px; negative to the left.
 * @param minimumPx a shorter movement counts as a tap
 * @returns 0 for a tap and for a movement that is not clearly horizontal
 */
export const measureHorizontalSwipe = (from: Point, to: Point, minimumPx = 10): number => {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  return Math.abs(dx) >= minimumPx && Math.abs(dx) > minWidthToHeight * Math.abs(dy) ? dx : 0;
};
