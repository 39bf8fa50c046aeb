import { useEffect, useRef, type PointerEvent } from 'react';
import { unzoomed, keepInFrame, zoomBy, type Zoom } from '@/chat-ui/lightbox/zoom';
import { type Point } from '@/lib/swipe';

/** Scale after a double tap on the whole picture. */
const doubleTapScale = 2.5;
const doubleTapMs = 300;
/** A touch that moves less than this is a tap. */
const tapSlackPx = 10;
/** Largest distance between the two taps of a double tap. */
const doubleTapDistancePx = 40;

interface Tap {
  point: Point;
  timeMs: number;
}

const measureDistance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);
/** The point between two fingers, or the point of one finger. */
const findMidpoint = ([a, b]: readonly Point[]): Point =>
  a && b ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } : (a ?? { x: 0, y: 0 });
/** Distance between two fingers, at least 1, because it is a divisor. One finger has the constant spread 1. */
const measureSpread = ([a, b]: readonly Point[]): number => (a && b ? Math.max(measureDistance(a, b), 1) : 1);
const isDoubleTap = (first: Tap, second: Tap): boolean =>
  second.timeMs - first.timeMs <= doubleTapMs &&
  measureDistance(second.point, first.point) <= doubleTapDistancePx;

/**
 * Touch gestures on a picture centred in its frame: pinch to zoom, drag while zoomed in, and double tap to toggle
 * between the whole picture and a closer view. Mouse events are not handled. The frame gets the `handlers` and needs
 * `touch-action: none`; the picture gets the ref `picture`.
 */
export const useZoom = <Picture extends HTMLElement>() => {
  const picture = useRef<Picture>(null);
  const zoom = useRef<Zoom>(unzoomed);
  /** Where the fingers on the frame are, by pointer id. */
  const fingers = useRef(new Map<number, Point>());
  /** Where the last finger was put down, and whether the touch is a tap so far. */
  const press = useRef<{ point: Point; isTap: boolean } | null>(null);
  /** The tap that may become the first of a double tap. */
  const lastTap = useRef<Tap | null>(null);

  const applyZoom = (requested: Zoom, frame: HTMLElement, { isAnimated = false } = {}): void => {
    const element = picture.current;
    if (!element) return;
    const { offsetWidth: width, offsetHeight: height } = element;
    const shown = keepInFrame(
      requested,
      { width, height },
      { width: frame.clientWidth, height: frame.clientHeight },
    );
    zoom.current = shown;
    element.style.transition = isAnimated ? 'transform 180ms var(--ease-out)' : 'none';
    element.style.transform = `translate(${shown.x}px, ${shown.y}px) scale(${shown.scale})`;
  };

  // A rotation changes the frame, so the zoom is reset.
  useEffect(() => {
    const reset = (): void => {
      zoom.current = unzoomed;
      picture.current?.style.removeProperty('transform');
    };
    window.addEventListener('resize', reset);
    return () => window.removeEventListener('resize', reset);
  }, []);

  /** The position of a finger relative to the centre of the frame, in px. */
  const toFramePoint = ({ clientX, clientY, currentTarget }: PointerEvent): Point => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  };

  const release = ({ pointerId }: PointerEvent): void => {
    fingers.current.delete(pointerId);
  };

  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType !== 'touch') return;
      const point = toFramePoint(event);
      fingers.current.set(event.pointerId, point);
      press.current = { point, isTap: fingers.current.size === 1 };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!fingers.current.has(event.pointerId)) return;
      const point = toFramePoint(event);
      if (press.current && measureDistance(point, press.current.point) > tapSlackPx)
        press.current.isTap = false;
      // The touch may still become a tap, which must not move the picture.
      if (press.current?.isTap) return;
      const before = [...fingers.current.values()];
      fingers.current.set(event.pointerId, point);
      const after = [...fingers.current.values()];
      // 1 for a drag with one finger, which only moves the picture.
      const factor = measureSpread(after) / measureSpread(before);
      const moved = zoomBy(zoom.current, factor, findMidpoint(before), findMidpoint(after));
      applyZoom(moved, event.currentTarget);
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      release(event);
      if (event.pointerType !== 'touch' || !press.current?.isTap) return;
      const tap: Tap = { point: press.current.point, timeMs: event.timeStamp };
      if (!lastTap.current || !isDoubleTap(lastTap.current, tap)) {
        lastTap.current = tap;
        return;
      }
      lastTap.current = null;
      const isZoomedIn = zoom.current.scale > 1;
      const toggled = isZoomedIn ? unzoomed : zoomBy(unzoomed, doubleTapScale, tap.point);
      applyZoom(toggled, event.currentTarget, { isAnimated: true });
    },
    onPointerCancel: release,
  };
  return { picture, handlers };
};
