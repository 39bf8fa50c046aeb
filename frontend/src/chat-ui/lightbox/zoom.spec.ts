import { unzoomed, keepInFrame, zoomBy } from '@/chat-ui/lightbox/zoom';

const picture = { width: 300, height: 200 };
const frame = { width: 390, height: 844 };

it('keeps the point of the picture between the fingers in place while scaling', () => {
  const midpoint = { x: 60, y: -40 };
  const zoom = zoomBy(unzoomed, 2, midpoint);
  // Coordinates count from the centre of the frame, which is also the centre of the unzoomed picture.
  expect(zoom.x + midpoint.x * zoom.scale).toBe(midpoint.x);
  expect(zoom.y + midpoint.y * zoom.scale).toBe(midpoint.y);
});

it('moves the picture with the fingers without scaling it', () => {
  const from = { x: 0, y: 0 };
  const to = { x: 25, y: -5 };
  expect(zoomBy({ scale: 2, x: 10, y: 0 }, 1, from, to)).toEqual({ scale: 2, x: 35, y: -5 });
});

it('limits the scale to between 1 (the whole picture) and 4', () => {
  expect(zoomBy(unzoomed, 0.2, { x: 0, y: 0 }).scale).toBe(1);
  expect(zoomBy(unzoomed, 40, { x: 0, y: 0 }).scale).toBe(4);
});

it('moves a picture no further than its edges, and centres it where it is smaller than the frame', () => {
  // At scale 2 the picture has 600 × 400 px: (600 - 390) / 2 = 105 px to each side, and no room to move vertically.
  expect(keepInFrame({ scale: 2, x: 500, y: 300 }, picture, frame)).toEqual({ scale: 2, x: 105, y: 0 });
  expect(keepInFrame({ scale: 2, x: -80, y: 0 }, picture, frame)).toEqual({ scale: 2, x: -80, y: 0 });
  // At scale 1 the picture is smaller than the frame.
  expect(keepInFrame({ scale: 1, x: -80, y: 9 }, picture, frame)).toEqual(unzoomed);
});
