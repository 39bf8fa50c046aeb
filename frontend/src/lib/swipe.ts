export interface Point {
  x: number;
  y: number;
}

/** How much longer than high a movement is, at least, that is meant sideways. */
const slope = 1.5;

/** The distance of a movement to the right (negative: to the left); 0 where it goes up or down, or is a tap. */
export const sideways = (from: Point, to: Point, leastPx = 10): number => {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  return Math.abs(dx) >= leastPx && Math.abs(dx) > slope * Math.abs(dy) ? dx : 0;
};
