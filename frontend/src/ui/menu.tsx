import * as DropdownMenu from 'radix-ui/dropdown-menu';
import { type ReactNode } from 'react';
import { cn } from '@/lib/class-names';

export const Menu = ({ trigger, children }: { trigger: ReactNode; children: ReactNode }) => (
  <DropdownMenu.Root>
    <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align="end"
        sideOffset={8}
        collisionPadding={12}
        className="pop z-40 min-w-60 rounded-card border border-border bg-popover p-2 shadow-elevated"
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);

const itemClass =
  'flex min-h-11 cursor-pointer items-center gap-3 rounded-control px-3 text-base font-medium outline-none select-none data-[highlighted]:bg-raised [&_svg]:size-4 [&_svg]:text-muted-foreground';

export const MenuItem = ({ onSelect, children }: { onSelect: () => void; children: ReactNode }) => (
  <DropdownMenu.Item onSelect={onSelect} className={itemClass}>
    {children}
  </DropdownMenu.Item>
);

export const MenuSeparator = () => <DropdownMenu.Separator className="mx-3 my-2 h-px bg-border" />;

export interface MenuChoicesProps<T extends string> {
  label: string;
  value: T;
  choices: readonly { value: T; label: string; icon: ReactNode }[];
  onChoose: (value: T) => void;
}

export const MenuChoices = <T extends string>({ label, value, choices, onChoose }: MenuChoicesProps<T>) => (
  <DropdownMenu.RadioGroup
    aria-label={label}
    value={value}
    onValueChange={(chosen) => {
      const choice = choices.find((candidate) => candidate.value === chosen);
      if (choice) onChoose(choice.value);
    }}
  >
    {choices.map((choice) => (
      <DropdownMenu.RadioItem
        key={choice.value}
        value={choice.value}
        onSelect={(event) => event.preventDefault()}
        className={cn(itemClass, 'data-[state=unchecked]:text-muted-foreground')}
      >
        {choice.icon}
        {choice.label}
        <DropdownMenu.ItemIndicator className="ml-auto size-2 rounded-full bg-primary" />
      </DropdownMenu.RadioItem>
    ))}
  </DropdownMenu.RadioGroup>
);
