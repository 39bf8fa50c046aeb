import { type ReactElement } from 'react';
import { Button, type ButtonProps } from '@/ui/button';
import { Tooltip } from '@/ui/tooltip';

export interface ToolbarButtonProps extends Omit<ButtonProps, 'children'> {
  icon: ReactElement;
  label: string;
}

/**
 * A button of a chat's toolbar. Where its `@container` is narrow the label is heard and pointed at, not seen, so that
 * the partner's name keeps its room.
 */
export const ToolbarButton = ({ icon, label, ...button }: ToolbarButtonProps) => (
  <Tooltip label={label} side="bottom">
    <Button variant="secondary" {...button} className="@max-2xl:size-11 @max-2xl:px-0">
      {icon}
      <span className="@max-2xl:sr-only">{label}</span>
    </Button>
  </Tooltip>
);
