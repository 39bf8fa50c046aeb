import { useRef, type TouchEvent } from 'react';
import { rowOf } from '@/chat-ui/message-list/row-element';
import { sideways, type Point } from '@/lib/swipe';

/** Distance of a swipe from which releasing it replies. */
const replyAtPx = 56;
const farthestPx = 72;
/** A swipe from the edge is the browser's own Back gesture. */
const edgePx = 24;
const doubleTapMs = 300;

const vibrate = (): void => {
  (navigator as { vibrate?: (ms: number) => boolean }).vibrate?.(10);
};

const pointOf = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => ({
  x: clientX,
  y: clientY,
});

const onlyOne = (touches: TouchEvent['touches']) => (touches.length === 1 ? touches[0] : undefined);

const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, [role="radio"]') !== null;

export interface RowTouch {
  canReply: (row: HTMLElement) => boolean;
  onReply: (row: HTMLElement) => void;
  onDoubleTap: (row: HTMLElement) => void;
}

/** Touch gestures on rows: a swipe to the right replies, a double tap adds the first reaction. */
export const useRowTouch = ({ canReply, onReply, onDoubleTap }: RowTouch) => {
  const swipe = useRef<{ row: HTMLElement; from: Point; distance: number } | null>(null);
  const lastTap = useRef<{ row: HTMLElement; at: number } | null>(null);

  const move = (distance: number): void => {
    const body = swipe.current?.row.querySelector<HTMLElement>('[data-swipe]');
    if (!swipe.current || !body) return;
    const isReady = distance >= replyAtPx;
    if (isReady && swipe.current.distance < replyAtPx) vibrate();
    swipe.current.distance = distance;
    body.style.transform = distance > 0 ? `translateX(${Math.min(distance, farthestPx)}px)` : '';
    body.dataset.swipe = distance > 0 ? (isReady ? 'ready' : 'moving') : '';
  };

  const tap = (row: HTMLElement, at: number): void => {
    const isSecond = lastTap.current?.row === row && at - lastTap.current.at <= doubleTapMs;
    lastTap.current = isSecond ? null : { row, at };
    if (isSecond) onDoubleTap(row);
  };

  return {
    onTouchStart: ({ touches, target }: TouchEvent) => {
      const touch = onlyOne(touches);
      const row = rowOf(target);
      move(0);
      swipe.current = touch && row ? { row, from: pointOf(touch), distance: 0 } : null;
    },
    onTouchMove: ({ touches }: TouchEvent) => {
      const begun = swipe.current;
      if (!begun) return;
      const touch = onlyOne(touches);
      if (!touch || begun.from.x < edgePx || !canReply(begun.row)) return move(0);
      // Once begun, a swipe follows the finger even if it drifts vertically.
      const to = pointOf(touch);
      move(begun.distance > 0 ? Math.max(1, to.x - begun.from.x) : Math.max(0, sideways(begun.from, to)));
    },
    onTouchEnd: ({ changedTouches, target, timeStamp }: TouchEvent) => {
      const touch = changedTouches[0];
      const begun = swipe.current;
      if (!begun || !touch) return;
      const { row, from, distance } = begun;
      move(0);
      swipe.current = null;
      if (distance >= replyAtPx) return onReply(row);
      const to = pointOf(touch);
      const isTap = Math.hypot(to.x - from.x, to.y - from.y) < 10;
      if (isTap && !isControl(target)) tap(row, timeStamp);
    },
    onTouchCancel: () => {
      move(0);
      swipe.current = null;
    },
  };
};
