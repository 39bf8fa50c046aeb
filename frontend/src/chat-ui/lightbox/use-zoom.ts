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

const measureDistance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);
/** The point between two fingers, or the point of one finger. */
const findMidpoint = ([a, b]: readonly Point[]): Point =>
  a && b ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } : (a ?? { x: 0, y: 0 });
/** Distance between two fingers, at least 1 because it is a divisor. For one finger always 1: a drag does not zoom. */
const measureSpread = ([a, b]: readonly Point[]): number => (a && b ? Math.max(measureDistance(a, b), 1) : 1);

/**
 * Touch gestures on a picture centred in its frame: pinch to zoom, drag while zoomed in, and double tap to toggle
 * between the whole picture and a closer view. Mouse events are not handled. The frame gets the `handlers` and needs
 * `touch-action: none`; the picture gets the ref `picture`.
 */
export const useZoom = <Picture extends HTMLElement>() => {
  const picture = useRef<Picture>(null);
  const zoom = useRef<Zoom>(unzoomed);
  const fingers = useRef(new Map<number, Point>());
  const press = useRef<{ point: Point; isTap: boolean } | null>(null);
  const lastTap = useRef<{ point: Point; timeMs: number } | null>(null);

  const applyZoom = (requested: Zoom, frame: HTMLElement, isAnimated: boolean): void => {
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

  const release = ({ pointerId }: PointerEvent): void => void fingers.current.delete(pointerId);

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
      const factor = measureSpread(after) / measureSpread(before);
      applyZoom(
        zoomBy(zoom.current, factor, findMidpoint(before), findMidpoint(after)),
        event.currentTarget,
        false,
      );
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      release(event);
      if (event.pointerType !== 'touch' || !press.current?.isTap) return;
      const { point } = press.current;
      const { current: firstTap } = lastTap;
      const isSecondTap =
        firstTap &&
        event.timeStamp - firstTap.timeMs <= doubleTapMs &&
        measureDistance(point, firstTap.point) <= doubleTapDistancePx;
      lastTap.current = isSecondTap ? null : { point, timeMs: event.timeStamp };
      if (!isSecondTap) return;
      const isZoomedIn = zoom.current.scale > 1;
      applyZoom(isZoomedIn ? unzoomed : zoomBy(unzoomed, doubleTapScale, point), event.currentTarget, true);
    },
    onPointerCancel: release,
  };
  return { picture, handlers };
};
