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

/** A short pulse. Some browsers do not have `vibrate`, although its type is not optional. */
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

/** A touch from its beginning to its end: a swipe, a tap, or neither. */
interface Gesture {
  row: HTMLElement;
  from: Point;
  /** How far the row is swiped; 0 while no swipe has begun. */
  swipePx: number;
}

/** Measures the swipe of a finger that is now at `to`; 0 while no swipe has begun. */
const measureSwipe = ({ from, swipePx }: Gesture, to: Point): number => {
  // A swipe begins with a clearly horizontal movement to the right.
  if (swipePx === 0) return Math.max(0, measureHorizontalSwipe(from, to));
  // It then continues even if the finger drifts vertically. At least 1 px, because 0 means that it has not begun.
  return Math.max(1, to.x - from.x);
};

/** The value of `data-swipe`, on which the style of the reply icon depends. */
const toSwipeState = (swipePx: number): '' | 'moving' | 'ready' => {
  if (swipePx >= replyThresholdPx) return 'ready';
  return swipePx > 0 ? 'moving' : '';
};

export interface RowTouchOptions {
  canReply: (row: HTMLElement) => boolean;
  onReply: (row: HTMLElement) => void;
  onDoubleTap: (row: HTMLElement) => void;
}

/** Touch gestures on rows: a swipe to the right calls `onReply`, and a double tap calls `onDoubleTap`. */
export const useRowTouch = ({ canReply, onReply, onDoubleTap }: RowTouchOptions) => {
  const gesture = useRef<Gesture | null>(null);
  const lastTap = useRef<{ row: HTMLElement; timeMs: number } | null>(null);

  /** Records how far the touched row is swiped, and moves it; 0 returns it to its place. */
  const swipeRow = (swipePx: number): void => {
    const movingPart = gesture.current?.row.querySelector<HTMLElement>('[data-swipe]');
    if (!gesture.current || !movingPart) return;
    const hasPassedThreshold = swipePx >= replyThresholdPx && gesture.current.swipePx < replyThresholdPx;
    if (hasPassedThreshold) vibrate();
    gesture.current.swipePx = swipePx;
    movingPart.style.transform = swipePx > 0 ? `translateX(${Math.min(swipePx, maxOffsetPx)}px)` : '';
    movingPart.dataset.swipe = toSwipeState(swipePx);
  };

  const endGesture = (): void => {
    swipeRow(0);
    gesture.current = null;
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
      endGesture(); // a second finger ends the gesture of the first
      if (touch && row) gesture.current = { row, from: toPoint(touch), swipePx: 0 };
    },
    onTouchMove: ({ touches }: TouchEvent) => {
      const { current } = gesture;
      if (!current) return;
      const touch = getSingleTouch(touches);
      const startedAtEdge = current.from.x < edgePx;
      // This is no swipe, but it can still be a tap, so the gesture continues.
      if (!touch || startedAtEdge || !canReply(current.row)) return swipeRow(0);
      swipeRow(measureSwipe(current, toPoint(touch)));
    },
    onTouchEnd: ({ changedTouches, target, timeStamp }: TouchEvent) => {
      const touch = changedTouches[0];
      const { current } = gesture;
      if (!current || !touch) return;
      const { row, from, swipePx } = current;
      endGesture();
      if (swipePx >= replyThresholdPx) return onReply(row);
      const to = toPoint(touch);
      const isTap = Math.hypot(to.x - from.x, to.y - from.y) < tapSlackPx;
      if (isTap && !isControl(target)) handleTap(row, timeStamp);
    },
    onTouchCancel: endGesture,
  };
};
