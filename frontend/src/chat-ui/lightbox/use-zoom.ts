import { useEffect, useRef, type PointerEvent } from 'react';
import { unzoomed, keepInFrame, zoomBy, type Zoom } from '@/chat-ui/lightbox/zoom';
import { type Point } from '@/lib/swipe';

const doubleTapScale = 2.5;
const doubleTapMs = 300;
/** A touch that moves less than this is a tap. */
const tapSlackPx = 10;
/** Largest distance between the two taps of a double tap. */
const doubleTapDistancePx = 40;

const measureDistance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);
const findMidpoint = ([a, b]: readonly Point[]): Point =>
  a && b ? { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } : (a ?? { x: 0, y: 0 });
const measureSpread = ([a, b]: readonly Point[]): number => (a && b ? Math.max(measureDistance(a, b), 1) : 1);

/**
 * Touch gestures on a picture centred in its frame: pinch to zoom, drag while zoomed in, and double tap to toggle
 * between the whole picture and a closer view. Mouse events are not handled. The frame needs `touch-action: none`.
 */
export const useZoom = <Picture extends HTMLElement>() => {
  const picture = useRef<Picture>(null);
  const zoom = useRef<Zoom>(unzoomed);
  const fingers = useRef(new Map<number, Point>());
  const press = useRef<{ at: Point; isTap: boolean } | null>(null);
  const lastTap = useRef<{ at: Point; time: number } | null>(null);

  const applyZoom = (wanted: Zoom, frame: HTMLElement, isAnimated: boolean): void => {
    const element = picture.current;
    if (!element) return;
    const { offsetWidth: width, offsetHeight: height } = element;
    const shown = keepInFrame(
      wanted,
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

  const toFramePoint = ({ clientX, clientY, currentTarget }: PointerEvent): Point => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  };

  const release = ({ pointerId }: PointerEvent): void => void fingers.current.delete(pointerId);

  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType !== 'touch') return;
      const at = toFramePoint(event);
      fingers.current.set(event.pointerId, at);
      press.current = { at, isTap: fingers.current.size === 1 };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!fingers.current.has(event.pointerId)) return;
      const at = toFramePoint(event);
      if (press.current && measureDistance(at, press.current.at) > tapSlackPx) press.current.isTap = false;
      if (press.current?.isTap) return;
      const before = [...fingers.current.values()];
      fingers.current.set(event.pointerId, at);
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
      const { at } = press.current;
      const { current: last } = lastTap;
      const isSecond =
        last &&
        event.timeStamp - last.time <= doubleTapMs &&
        measureDistance(at, last.at) <= doubleTapDistancePx;
      lastTap.current = isSecond ? null : { at, time: event.timeStamp };
      if (!isSecond) return;
      const isLarger = zoom.current.scale > 1;
      applyZoom(isLarger ? unzoomed : zoomBy(unzoomed, doubleTapScale, at), event.currentTarget, true);
    },
    onPointerCancel: release,
  };
  return { picture, handlers };
};
