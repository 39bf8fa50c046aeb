import { useRef, type TouchEvent } from 'react';

/** Widths at which a modal is a bottom sheet. */
const bottomSheetQuery = '(max-width: 47.9375rem)';
/** Distance from which releasing the sheet dismisses it. */
const dismissAtPx = 96;

interface Pull {
  sheet: HTMLElement;
  from: number;
  distance: number;
}

const moveSheet = ({ sheet, distance }: Pull): void => {
  sheet.style.transform = distance > 0 ? `translateY(${distance}px)` : '';
};

/**
 * Handlers for the header of a sheet, which follows a finger that drags it down. `dismiss` returns whether the sheet
 * closes; otherwise, and after a short drag, it moves back.
 */
export const usePullToDismiss = (dismiss: () => boolean) => {
  const pull = useRef<Pull | null>(null);

  const moveBack = (): void => {
    if (pull.current) moveSheet({ ...pull.current, distance: 0 });
    pull.current = null;
  };

  return {
    onTouchStart: ({ touches, currentTarget }: TouchEvent) => {
      const touch = touches.length === 1 ? touches[0] : undefined;
      const sheet = currentTarget.closest<HTMLElement>('[role="dialog"]');
      const isSheet = window.matchMedia(bottomSheetQuery).matches;
      pull.current = touch && sheet && isSheet ? { sheet, from: touch.clientY, distance: 0 } : null;
    },
    onTouchMove: ({ touches }: TouchEvent) => {
      if (!pull.current || !touches[0]) return;
      pull.current.distance = Math.max(0, touches[0].clientY - pull.current.from);
      moveSheet(pull.current);
    },
    onTouchEnd: () => {
      const isFar = pull.current !== null && pull.current.distance >= dismissAtPx;
      if (isFar && dismiss()) pull.current = null;
      else moveBack();
    },
    onTouchCancel: moveBack,
  };
};
