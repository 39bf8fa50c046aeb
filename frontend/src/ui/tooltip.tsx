import { Slot } from 'radix-ui/slot';
import { useEffect, useId, useRef, type PointerEvent, type ReactElement, type ReactNode } from 'react';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { tooltips, useIsTooltipOpen } from '@/ui/tooltip-store';

export const tooltipBubblePart = createPart(async () => (await import('@/ui/tooltip-bubble')).TooltipBubble);

export interface TooltipProps {
  /** What the control is called; the control still carries its own accessible name. */
  label: ReactNode;
  side?: 'top' | 'right' | 'bottom' | 'left';
  /** One focusable element. */
  children: ReactElement;
}

/**
 * A word beside a control when it is pointed at or reached by the keyboard. What positions it, a quarter of Radix, is
 * loaded at the first of these.
 */
export const Tooltip = ({ label, side = 'top', children }: TooltipProps) => {
  const id = useId();
  const isOpen = useIsTooltipOpen(id);
  const control = useRef<HTMLElement>(null);
  const isPointedAt = useRef(false);
  const isPressed = useRef(false);
  const close = (): void => tooltips.close(id);
  useEffect(() => () => tooltips.close(id), [id]);

  // By moves and not by entering: what scrolls under a pointer at rest is not pointed at.
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
    document.addEventListener('pointerup', () => (isPressed.current = false), { once: true });
  };
  const onFocus = (): void => {
    if (!isPressed.current) tooltips.open(id);
  };

  return (
    <>
      <Slot
        ref={control}
        {...(isOpen ? { 'aria-describedby': id } : {})}
        {...{ onPointerMove, onPointerLeave, onPointerDown, onFocus, onBlur: close, onClick: close }}
      >
        {children}
      </Slot>
      {isOpen ? (
        <LoadedPart part={tooltipBubblePart} broken={() => null}>
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
