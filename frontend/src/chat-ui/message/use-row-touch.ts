import { useRef, type TouchEvent } from 'react';
import { findRow } from '@/chat-ui/message-list/row-element';
import { measureHorizontalSwipe, type Point } from '@/lib/swipe';

/** A swipe of at least this distance replies when the finger is lifted. */
const replyThresholdPx = 56;
/** The row follows the finger up to this distance. */
const maxOffsetPx = 72;
/** A swipe that begins within this distance from the left edge is the browser's own Back gesture. */
const edgePx = 24;
/** A touch that moves less than this is a tap. */
const tapSlackPx = 10;
const doubleTapMs = 300;

/** A short pulse, on devices that can vibrate. */
const vibrate = (): void => {
  (navigator as { vibrate?: (ms: number) => boolean }).vibrate?.(10);
};

const toPoint = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => ({
  x: clientX,
  y: clientY,
});

/** The touch of a gesture with one finger; undefined for several fingers. */
const getSingleTouch = (touches: TouchEvent['touches']) => (touches.length === 1 ? touches[0] : undefined);

/** Whether a tap is meant for a control, such as an answer of a game. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('button, a, [role="radio"]') !== null;

export interface RowTouchOptions {
  canReply: (row: HTMLElement) => boolean;
  onReply: (row: HTMLElement) => void;
  onDoubleTap: (row: HTMLElement) => void;
}

/** Touch gestures on rows: a swipe to the right calls `onReply`, and a double tap calls `onDoubleTap`. */
export const useRowTouch = ({ canReply, onReply, onDoubleTap }: RowTouchOptions) => {
  const gesture = useRef<{ row: HTMLElement; from: Point; distancePx: number } | null>(null);
  const lastTap = useRef<{ row: HTMLElement; timeMs: number } | null>(null);

  /** Moves the touched row; 0 returns it to its place. */
  const moveRow = (distancePx: number): void => {
    const movingPart = gesture.current?.row.querySelector<HTMLElement>('[data-swipe]');
    if (!gesture.current || !movingPart) return;
    const isPastThreshold = distancePx >= replyThresholdPx;
    if (isPastThreshold && gesture.current.distancePx < replyThresholdPx) vibrate();
    gesture.current.distancePx = distancePx;
    movingPart.style.transform = distancePx > 0 ? `translateX(${Math.min(distancePx, maxOffsetPx)}px)` : '';
    // The style of the reply icon depends on this attribute.
    movingPart.dataset.swipe = distancePx > 0 ? (isPastThreshold ? 'ready' : 'moving') : '';
  };

  const handleTap = (row: HTMLElement, timeMs: number): void => {
    const isSecondTap = lastTap.current?.row === row && timeMs - lastTap.current.timeMs <= doubleTapMs;
    lastTap.current = isSecondTap ? null : { row, timeMs };
    if (isSecondTap) onDoubleTap(row);
  };

  return {
    onTouchStart: ({ touches, target }: TouchEvent) => {
      const touch = getSingleTouch(touches);
      const row = findRow(target);
      // A second finger ends the gesture of the first, whose row may have moved.
      moveRow(0);
      gesture.current = touch && row ? { row, from: toPoint(touch), distancePx: 0 } : null;
    },
    onTouchMove: ({ touches }: TouchEvent) => {
      const { current } = gesture;
      if (!current) return;
      const touch = getSingleTouch(touches);
      // Without a swipe the row stays in its place. The gesture continues, because it can still be a tap.
      if (!touch || current.from.x < edgePx || !canReply(current.row)) return moveRow(0);
      // A swipe begins with a clearly horizontal movement, and then continues even if the finger drifts vertically.
      // Its distance stays at least 1 px, because 0 means that it has not begun.
      const to = toPoint(touch);
      moveRow(
        current.distancePx > 0
          ? Math.max(1, to.x - current.from.x)
          : Math.max(0, measureHorizontalSwipe(current.from, to)),
      );
    },
    onTouchEnd: ({ changedTouches, target, timeStamp }: TouchEvent) => {
      const touch = changedTouches[0];
      const { current } = gesture;
      if (!current || !touch) return;
      const { row, from, distancePx } = current;
      moveRow(0);
      gesture.current = null;
      if (distancePx >= replyThresholdPx) return onReply(row);
      const to = toPoint(touch);
      const isTap = Math.hypot(to.x - from.x, to.y - from.y) < tapSlackPx;
      if (isTap && !isControl(target)) handleTap(row, timeStamp);
    },
    onTouchCancel: () => {
      moveRow(0);
      gesture.current = null;
    },
  };
};
