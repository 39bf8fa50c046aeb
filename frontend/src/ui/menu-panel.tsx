import { Menu as Radix } from 'radix-ui/internal';
import { useRef, type RefObject } from 'react';
import { cn } from '@/lib/class-names';
import { type MenuItem } from '@/ui/menu-item';

export interface MenuPanelProps {
  id: string;
  trigger: RefObject<HTMLElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  labelledBy: string;
  items: readonly MenuItem[];
}

/**
 * The menu that the button of `Menu` opens. When it closes, the focus returns to the button (`trigger`).
 *
 * Uses an internal component of Radix, because the button is shown before this code is loaded, and Radix's public
 * dropdown menu requires a trigger of its own.
 */
export const MenuPanel = ({ id, trigger, isOpen, onOpenChange, labelledBy, items }: MenuPanelProps) => {
  /** The action of the item that was chosen, until the menu has closed. */
  const chosenAction = useRef<(() => void) | undefined>(undefined);
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Anchor virtualRef={trigger} />
      <Radix.Portal>
        <Radix.Content
          id={id}
          aria-labelledby={labelledBy}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="pop z-popover grid min-w-44 rounded-card border border-border bg-popover p-1.5 shadow-elevated outline-none"
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            trigger.current?.focus();
            // After the focus has returned, so that a dialog opened by the action returns the focus to the trigger.
            const action = chosenAction.current;
            chosenAction.current = undefined;
            action?.();
          }}
        >
          {items.map(({ label, tone, onSelect, href }) => (
            <Radix.Item
              key={label}
              asChild={href !== undefined}
              className={cn(
                'flex min-h-11 cursor-default items-center rounded-control px-3 text-base font-semibold outline-none select-none',
                'data-highlighted:bg-raised',
                tone === 'destructive' && 'text-destructive',
              )}
              onSelect={() => {
                chosenAction.current = onSelect;
              }}
            >
              {href === undefined ? (
                label
              ) : (
                <a href={href} target="_blank" rel="noopener">
                  {label}
                </a>
              )}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
};
