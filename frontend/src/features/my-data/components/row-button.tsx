import { type LucideIcon } from 'lucide-react';
import { Button, type ButtonProps } from '@/ui/button';

export interface RowButtonProps extends Omit<ButtonProps, 'children'> {
  label: string;
  /** Shown only with `isRow`. */
  icon: LucideIcon;
  /** Whether the button is one of the rows of the settings: full width, with the icon at its end. */
  isRow: boolean;
}

/** A button for the settings, where it is a row, and for the page of a paused account, where it is a plain button. */
export const RowButton = ({ label, icon: Icon, isRow, ...button }: RowButtonProps) => (
  <Button variant="outline" className={isRow ? 'w-full' : ''} {...button}>
    {isRow ? <span className="flex-1 text-left">{label}</span> : label}
    {isRow ? <Icon aria-hidden="true" className="text-muted-foreground" /> : null}
  </Button>
);
