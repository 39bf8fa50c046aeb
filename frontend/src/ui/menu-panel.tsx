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
 * Radix's menu. Its trigger is the button of `Menu`, which is shown before this code is loaded. Radix's public dropdown
 * menu allows no such external trigger. When the menu closes, the focus returns to the trigger.
 */
export const MenuPanel = ({ id, trigger, isOpen, onOpenChange, labelledBy, items }: MenuPanelProps) => {
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
            // Run after the focus has returned, so that a dialog opened by the item returns the focus to the trigger.
            const run = chosenAction.current;
            chosenAction.current = undefined;
            run?.();
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
