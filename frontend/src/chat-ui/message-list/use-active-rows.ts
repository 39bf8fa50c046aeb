import { useState, type FocusEvent, type PointerEvent, type SyntheticEvent } from 'react';
import { findRow } from '@/chat-ui/message-list/row-element';

/** Whether an event is from inside the list: portals, such as an open menu, also bubble their React events to it. */
const isInside = ({ currentTarget, target }: SyntheticEvent): boolean =>
  target instanceof Node && currentTarget.contains(target);

/**
 * Tracks which rows show their actions: the hovered row, the focused row, and the row with an open reaction menu.
 * @param getKey  returns the key of the row's message
 */
export const useActiveRows = (getKey: (row: HTMLElement | null) => string | null) => {
  const [hovered, setHovered] = useState<string | null>(null);
  const [focused, setFocused] = useState<string | null>(null);
  /** Key of the row with an open reaction menu: it stays active although the focus has left it. */
  const [pinned, pin] = useState<string | null>(null);
  return {
    isActive: (key: string): boolean => [hovered, focused, pinned].includes(key),
    pin,
    /** Clears the hovered row, for example after keyboard navigation. */
    clearHovered: () => setHovered(null),
    handlers: {
      onPointerOver: (event: PointerEvent) => {
        if (event.pointerType === 'mouse' && isInside(event)) setHovered(getKey(findRow(event.target)));
      },
      onPointerLeave: () => setHovered(null),
      onFocus: (event: FocusEvent) => {
        if (isInside(event)) setFocused(getKey(findRow(event.target)));
      },
      onBlur: (event: FocusEvent) => {
        // A blur inside a portal counts too, unless the focus returns to the list.
        if (!event.currentTarget.contains(event.relatedTarget)) setFocused(null);
      },
    },
  };
};
