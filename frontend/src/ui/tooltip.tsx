import { Slot } from 'radix-ui/slot';
import { useEffect, useId, useRef, type PointerEvent, type ReactElement, type ReactNode } from 'react';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { tooltips, useIsTooltipOpen } from '@/ui/tooltip-store';

export const tooltipBubblePart = createPart(async () => (await import('@/ui/tooltip-bubble')).TooltipBubble);

export interface TooltipProps {
  /** Text of the tooltip. It only describes the control, which needs its own accessible name. */
  label: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** One focusable element. */
  children: ReactElement;
}

/**
 * A label next to a control that is hovered or focused by the keyboard. The bubble, with the positioning code
 * of Radix, is loaded with the first tooltip.
 */
export const Tooltip = ({ label, side = 'top', children }: TooltipProps) => {
  const id = useId();
  const isOpen = useIsTooltipOpen(id);
  const control = useRef<HTMLElement>(null);
  const isPointedAt = useRef(false);
  const isPressed = useRef(false);
  const close = (): void => tooltips.close(id);
  useEffect(() => () => tooltips.close(id), [id]);

  // Opens the tooltip on the first move over the control. `pointerenter` would also fire when content scrolls under a
  // resting pointer.
  const onPointerMove = ({ pointerType }: PointerEvent): void => {
    if (pointerType === 'touch' || isPointedAt.current) return;
    isPointedAt.current = true;
    void tooltipBubblePart.preload();
    tooltips.openSoon(id);
  };
  const onPointerLeave = (): void => {
    isPointedAt.current = false;
    close();
  };
  const onPointerDown = (): void => {
    close();
    isPressed.current = true;
    const listeners = new AbortController();
    const endPress = (): void => {
      isPressed.current = false;
      listeners.abort();
    };
    // On the document, because the pointer may be released outside the control. A press is cancelled when it turns into
    // a scroll.
    for (const type of ['pointerup', 'pointercancel'])
      document.addEventListener(type, endPress, { signal: listeners.signal });
  };
  const onFocus = (): void => {
    // A press focuses the control, too, but only focus by the keyboard opens the tooltip.
    if (!isPressed.current) tooltips.open(id);
  };

  return (
    <>
      <Slot
        ref={control}
        {...(isOpen ? { 'aria-describedby': id } : {})}
        onPointerMove={onPointerMove}
        onPointerLeave={onPointerLeave}
        onPointerDown={onPointerDown}
        onFocus={onFocus}
        onBlur={close}
        onClick={close}
      >
        {children}
      </Slot>
      {isOpen ? (
        <LoadedPart part={tooltipBubblePart} renderFailure={() => null}>
          {(TooltipBubble) => (
            <TooltipBubble id={id} side={side} control={control} onDismiss={close}>
              {label}
            </TooltipBubble>
          )}
        </LoadedPart>
      ) : null}
    </>
  );
};
