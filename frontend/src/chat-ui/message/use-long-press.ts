import { useEffect, useRef, type PointerEvent } from 'react';

const longPressMs = 450;
/** A touch that moves farther is a scroll or a swipe, not a press. */
const slackPx = 10;

/** Calls `onLongPress` when a touch is held in place. Mouse events are ignored. */
export const useLongPress = (onLongPress: (target: EventTarget) => void) => {
  const press = useRef<{ timer: number; x: number; y: number } | null>(null);
  const release = (): void => {
    window.clearTimeout(press.current?.timer);
    press.current = null;
  };
  useEffect(() => release, []);
  return {
    /** Whether a touch is down and has not moved farther than `slackPx`. */
    isPressed: () => press.current !== null,
    handlers: {
      onPointerDown: ({ pointerType, target, clientX: x, clientY: y }: PointerEvent) => {
        release();
        if (pointerType !== 'touch') return;
        press.current = { timer: window.setTimeout(() => onLongPress(target), longPressMs), x, y };
      },
      onPointerMove: ({ clientX, clientY }: PointerEvent) => {
        const from = press.current;
        if (from && Math.hypot(clientX - from.x, clientY - from.y) > slackPx) release();
      },
      onPointerUp: release,
      onPointerCancel: release,
    },
  };
};
