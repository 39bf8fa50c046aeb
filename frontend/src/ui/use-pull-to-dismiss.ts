import { useRef, type TouchEvent } from 'react';

/** Below the breakpoint `md` (48 rem) a modal is a bottom sheet. 47.9375 rem is one pixel less, at 16 px per rem. */
const bottomSheetQuery = '(max-width: 47.9375rem)';
/** Minimum distance of a drag that dismisses the sheet. */
const minDismissDistancePx = 96;

interface Pull {
  sheet: HTMLElement;
  /** Start of the touch, in CSS pixels from the top of the window. */
  startY: number;
  /** Distance by which the sheet is moved down, in CSS pixels. */
  distance: number;
}

const moveSheet = ({ sheet, distance }: Pull): void => {
  sheet.style.transform = distance > 0 ? `translateY(${distance}px)` : '';
};

/**
 * Touch handlers for the header of a bottom sheet: the sheet follows a finger that drags it down.
 * @param dismiss returns true if the sheet closes. If it returns false, or the drag was too short, the sheet moves
 * back.
 */
export const usePullToDismiss = (dismiss: () => boolean) => {
  const pull = useRef<Pull | null>(null);

  const moveBack = (): void => {
    if (pull.current) moveSheet({ ...pull.current, distance: 0 });
    pull.current = null;
  };

  return {
    onTouchStart: ({ touches, currentTarget }: TouchEvent) => {
      moveBack(); // a second finger ends the drag of the first
      const touch = touches.length === 1 ? touches[0] : undefined;
      const dialog = currentTarget.closest<HTMLElement>('[role="dialog"]');
      const isBottomSheet = window.matchMedia(bottomSheetQuery).matches;
      pull.current =
        touch && dialog && isBottomSheet ? { sheet: dialog, startY: touch.clientY, distance: 0 } : null;
    },
    onTouchMove: ({ touches }: TouchEvent) => {
      if (!pull.current || !touches[0]) return;
      pull.current.distance = Math.max(0, touches[0].clientY - pull.current.startY);
      moveSheet(pull.current);
    },
    onTouchEnd: () => {
      const isFarEnough = pull.current !== null && pull.current.distance >= minDismissDistancePx;
      // A sheet that closes keeps its position.
      if (isFarEnough && dismiss()) pull.current = null;
      else moveBack();
    },
    onTouchCancel: moveBack,
  };
};
