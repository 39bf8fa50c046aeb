import * as Radix from 'radix-ui/popover';
import { useRef, type ReactNode, type RefObject } from 'react';
import { cn } from '@/lib/class-names';

export interface PopoverPanelProps {
  id: string;
  trigger: RefObject<HTMLElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  /** Accessible name of the panel. */
  label: string;
  align?: 'start' | 'center' | 'end';
  className?: string;
  /** Called when the panel closes. The focus then returns to the trigger, unless the event's default is prevented. */
  onCloseAutoFocus?: (event: Event) => void;
  children: ReactNode;
}

/** Radix's popover with a trigger outside `Radix.Root`. Presses and focus are handled as for Radix's trigger. */
export const PopoverPanel = ({
  id,
  trigger,
  isOpen,
  onOpenChange,
  label,
  align = 'center',
  className,
  onCloseAutoFocus,
  children,
}: PopoverPanelProps) => {
  const wasPressedOutside = useRef(false);
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Anchor virtualRef={trigger} />
      <Radix.Portal>
        <Radix.Content
          id={id}
          side="top"
          align={align}
          sideOffset={8}
          collisionPadding={8}
          aria-label={label}
          className={cn(
            'pop z-popover rounded-card border border-border bg-popover shadow-elevated outline-none',
            className,
          )}
          onInteractOutside={(event) => {
            const isOnTrigger = event.target instanceof Node && trigger.current?.contains(event.target);
            if (!isOnTrigger) {
              wasPressedOutside.current = true;
              return;
            }
            // The trigger's click handler closes the panel. If Radix closed it first, the handler would open it again.
            event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            onCloseAutoFocus?.(event);
            // After a press outside, the focus stays where the press has moved it.
            const shouldFocusTrigger = !event.defaultPrevented && !wasPressedOutside.current;
            if (shouldFocusTrigger) trigger.current?.focus();
            // Replaces Radix's own handler, which focuses a trigger within `Radix.Root`.
            event.preventDefault();
            wasPressedOutside.current = false;
          }}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
};
