import { type ReactElement } from 'react';
import { cn } from '@/lib/class-names';
import { Button, type ButtonProps } from '@/ui/button';

export interface ToolbarButtonProps extends Omit<ButtonProps, 'children'> {
  icon: ReactElement;
  label: string;
}

/** A button of a chat's toolbar. The label is always visible; in a narrow `@container` the icon is hidden. */
export const ToolbarButton = ({ icon, label, className, ...button }: ToolbarButtonProps) => (
  <Button
    variant="secondary"
    {...button}
    className={cn('@max-2xl:gap-1.5 @max-2xl:px-2 @max-2xl:text-sm @max-[22.5rem]:[&_svg]:hidden', className)}
  >
    {icon}
    {label}
  </Button>
);
