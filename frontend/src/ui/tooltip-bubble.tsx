import { DismissableLayer, Popper } from 'radix-ui/internal';
import { useEffect, type ReactNode, type RefObject } from 'react';
import { createPortal } from 'react-dom';

export interface TooltipBubbleProps {
  id: string;
  side: 'top' | 'right' | 'bottom' | 'left';
  control: RefObject<HTMLElement | null>;
  onDismiss: () => void;
  children: ReactNode;
}

/**
 * The open tooltip. Like Radix's tooltip, it closes on Escape, on a press elsewhere and when its control scrolls.
 * Unlike Radix's tooltip, it cannot be hovered: the pointer passes through it.
 */
export const TooltipBubble = ({ id, side, control, onDismiss, children }: TooltipBubbleProps) => {
  useEffect(() => {
    const closeOnScroll = ({ target }: Event): void => {
      if (target instanceof Node && target.contains(control.current)) onDismiss();
    };
    window.addEventListener('scroll', closeOnScroll, { capture: true });
    return () => window.removeEventListener('scroll', closeOnScroll, { capture: true });
  }, [control, onDismiss]);
  return (
    <Popper.Root>
      <Popper.Anchor virtualRef={control} />
      {createPortal(
        <DismissableLayer.Root
          asChild
          disableOutsidePointerEvents={false}
          // Moving the focus outside the bubble, such as to the control, does not dismiss it.
          onFocusOutside={(event) => event.preventDefault()}
          onDismiss={onDismiss}
        >
          <Popper.Content
            role="tooltip"
            id={id}
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="tip pointer-events-none z-top max-w-64 rounded-[9px] bg-foreground px-2.5 py-1.5 text-sm font-semibold wrap-anywhere text-background"
          >
            {children}
          </Popper.Content>
        </DismissableLayer.Root>,
        document.body,
      )}
    </Popper.Root>
  );
};
