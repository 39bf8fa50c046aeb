import { type LucideIcon } from 'lucide-react';
import { Button, type ButtonProps } from '@/ui/button';

export interface RowButtonProps extends Omit<ButtonProps, 'children'> {
  label: string;
  /** At the end of a row. */
  icon: LucideIcon;
  /** As wide as its place, with the icon, among other such buttons. */
  isRow: boolean;
}

/** A button of the settings, or of the page of a paused account, where it is no row. */
export const RowButton = ({ label, icon: Icon, isRow, ...button }: RowButtonProps) => (
  <Button variant="outline" className={isRow ? 'w-full' : ''} {...button}>
    {isRow ? <span className="flex-1 text-left">{label}</span> : label}
    {isRow ? <Icon aria-hidden="true" className="text-muted-foreground" /> : null}
  </Button>
);
