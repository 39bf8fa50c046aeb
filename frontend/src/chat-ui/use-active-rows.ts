import { useState, type FocusEvent, type PointerEvent, type SyntheticEvent } from 'react';
import { rowOf } from '@/chat-ui/row-element';

/** What a row opens elsewhere in the page reports to its list, too. */
const isInside = ({ currentTarget, target }: SyntheticEvent): boolean =>
  target instanceof Node && currentTarget.contains(target);

/** Which rows show what can be done with them: pointed at, with the focus, or with something of theirs open. */
export const useActiveRows = (keyOf: (row: HTMLElement | null) => string | null) => {
  const [hovered, setHovered] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  /** The row whose reactions are being chosen from: it stays active although the focus has left it. */
  const [pinned, pin] = useState<string | null>(null);
  return {
    isActive: (key: string): boolean => [hovered, focused, pinned].includes(key),
    pin,
    /** Where the mouse rests no longer counts. */
    forgetMouse: () => setHovered(null),
    handlers: {
      onPointerOver: (event: PointerEvent) => {
        if (event.pointerType === 'mouse' && isInside(event)) setHovered(keyOf(rowOf(event.target)));
      },
      onPointerLeave: () => setHovered(null),
      onFocus: (event: FocusEvent) => {
        if (isInside(event)) setFocused(keyOf(rowOf(event.target)));
      },
      onBlur: (event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocused(null);
      },
    },
  };
};
