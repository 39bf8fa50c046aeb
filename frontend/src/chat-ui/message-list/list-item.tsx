import { type ReactNode, type Ref } from 'react';
import { cn } from '@/lib/class-names';

export interface ListItemProps {
  /** With it, the virtualized list measures the height of the row. */
  ref: Ref<HTMLLIElement>;
  index: number;
  /** Number of rows in the whole list. */
  count: number;
  /** Distance of the row from the start of the list, in px. */
  topPx: number;
  /** Whether the row shows its actions. */
  isActive: boolean;
  /** Whether the row plays its entry animation. */
  isArriving: boolean;
  /** Whether the row plays the animation that marks it after the user has jumped to it, such as from a quote. */
  isFlashing: boolean;
  /** Whether a finger is down on the list and has not moved. */
  isListPressed: () => boolean;
  /** Called when the entry animation has ended. */
  onArrived: () => void;
  /** Called when the animation after a jump has ended. */
  onFlashed: () => void;
  /** Shown above the message, such as a timestamp. */
  above: ReactNode;
  children: ReactNode;
}

/** The place of one message in the virtualized list. A swipe moves its content to reveal a reply icon. */
export const ListItem = ({
  ref,
  index,
  count,
  topPx,
  isActive,
  isArriving,
  isFlashing,
  isListPressed,
  onArrived,
  onFlashed,
  above,
  children,
}: ListItemProps) => (
  <li
    data-index={index}
    ref={ref}
    tabIndex={-1}
    aria-setsize={count}
    aria-posinset={index + 1}
    className={cn(
      'absolute top-0 left-0 w-full rounded-control focus-visible:-outline-offset-2 [@media(pointer:coarse)]:select-none',
      // The actions of the row overlap its neighbours.
      isActive && 'z-raised',
    )}
    style={{ transform: `translateY(${topPx}px)` }}
    onContextMenu={(event) => {
      // On touch screens a long press opens the action sheet instead of the browser's menu.
      if (isListPressed()) event.preventDefault();
    }}
  >
    {above}
    <div
      // `useRowTouch` sets it to `moving` or `ready` during a swipe.
      data-swipe=""
      className={cn(
        'relative touch-pan-y rounded-control',
        // The reply icon that a swipe reveals.
        "before:absolute before:top-1/2 before:-left-8 before:-translate-y-1/2 before:text-xl before:text-muted-foreground before:opacity-0 data-[swipe=moving]:before:opacity-50 data-[swipe=moving]:before:content-['↩'] data-[swipe=ready]:before:text-primary data-[swipe=ready]:before:opacity-100 data-[swipe=ready]:before:content-['↩']",
        isArriving && 'enter-rise',
        isFlashing && 'flash',
      )}
      onAnimationEnd={({ animationName }) => {
        // The keyframes of the classes `flash` and `enter-rise`.
        if (animationName === 'flash') onFlashed();
        if (animationName === 'rise') onArrived();
      }}
    >
      {children}
    </div>
  </li>
);
