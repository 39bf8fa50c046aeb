import type Confetti from 'canvas-confetti';
import { iceCubePath } from '@/features/random-chat/icebreaker/ice-cube-path';

// Draws ice cubes and sparks on a canvas. The drawing library is loaded on first use.

/**
 * Reads the text colour of `canvas` as a hexadecimal string: draws a pixel of that colour on another canvas and reads
 * it back. The style sheets define colours in OKLCH, which the drawing library cannot read.
 */
const readTextColour = (canvas: HTMLCanvasElement): string => {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return '';
  context.fillStyle = getComputedStyle(canvas).color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
};

const iceCubeIntervalMs = 320;
/** About two seconds before the page stops the effect (`pageLimits.celebrationMs`), so that the last cubes can fall. */
const iceCubesUntilMs = 2_900;

/**
 * Where particles start: `x` is a share of the width. They fly upwards and towards the middle. An `angle` of 0° is to
 * the right, 90° is upwards.
 */
const sparkSources = [
  { x: 0.2, angle: 60 },
  { x: 0.8, angle: 120 },
];
const iceCubeSources = [
  { x: 0, angle: 55 },
  { x: 1, angle: 125 },
];

type Fire = Confetti.CreateTypes;
type StopDrawing = () => void;

const drawSparks = (fire: Fire, colors: string[]): StopDrawing => {
  for (const { x, angle } of sparkSources) {
    void fire({
      particleCount: 90,
      angle,
      spread: 75,
      startVelocity: 42,
      gravity: 0.9,
      decay: 0.92,
      scalar: 0.6,
      ticks: 170,
      shapes: ['circle', 'star'],
      colors,
      origin: { x, y: 0.6 },
    });
  }
  return () => fire.reset();
};

const drawIceCubes = (fire: Fire, colors: string[], cube: Confetti.Shape): StopDrawing => {
  const throwCubes = ({ count, scale }: { count: number; scale: number }): void => {
    for (const { x, angle } of iceCubeSources) {
      void fire({
        particleCount: count,
        angle,
        spread: 60,
        startVelocity: 55,
        gravity: 0.9,
        scalar: scale,
        ticks: 220,
        flat: true,
        shapes: [cube],
        colors,
        origin: { x, y: 0.75 },
      });
    }
  };
  throwCubes({ count: 12, scale: 2.8 });
  throwCubes({ count: 14, scale: 1.8 });
  const startedAt = Date.now();
  const timer = setInterval(() => {
    if (Date.now() - startedAt < iceCubesUntilMs) throwCubes({ count: 5, scale: 2.2 });
  }, iceCubeIntervalMs);
  return () => {
    clearInterval(timer);
    fire.reset();
  };
};

/**
 * Draws the effect until it is stopped.
 * @returns the function that stops it and clears the canvas.
 */
export const drawCelebration = (canvas: HTMLCanvasElement, effect: 'ice-cubes' | 'sparks'): StopDrawing => {
  let stop: StopDrawing | undefined;
  let isStopped = false;

  const startDrawing = async (): Promise<void> => {
    const { default: confetti } = await import('canvas-confetti');
    if (isStopped) return;
    // No worker: the Content-Security-Policy forbids workers created from a string.
    const fire = confetti.create(canvas, { resize: true, useWorker: false, disableForReducedMotion: true });
    const colors = [readTextColour(canvas)];
    stop =
      effect === 'sparks'
        ? drawSparks(fire, colors)
        : drawIceCubes(fire, colors, confetti.shapeFromPath({ path: iceCubePath }));
  };

  startDrawing().catch((error: unknown) => console.warn('The celebration could not be drawn', error));
  return () => {
    isStopped = true;
    stop?.();
  };
};
