import { useId, useRef, useState, type ComponentProps, type ReactNode } from 'react';
import { createPart, LoadedPart } from '@/ui/loaded-part';

/** The panel, whose code is loaded when it is needed. */
export const popoverPanelPart = createPart(async () => (await import('@/ui/popover-panel')).PopoverPanel);

export interface PopoverProps {
  /** Props of the trigger button. */
  button: ComponentProps<'button'>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  /** Accessible name of the panel. */
  label: string;
  align?: 'start' | 'center' | 'end';
  /** Classes of the panel. */
  className?: string;
  /** Called when the panel closes. The focus returns to the button unless the event's default is prevented. */
  onCloseAutoFocus?: (event: Event) => void;
  children: ReactNode;
}

/** A button with a panel above it. The positioning code is loaded when the button is first hovered or pressed. */
export const Popover = ({ button, isOpen, onOpenChange, children, ...panel }: PopoverProps) => {
  const id = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  // Once opened, the panel stays mounted, for its closing animation and to return the focus.
  const [wasOpened, setOpened] = useState(false);
  if (isOpen && !wasOpened) setOpened(true);
  return (
    <>
      <button
        ref={trigger}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        {...(isOpen ? { 'aria-controls': id } : {})}
        onPointerEnter={() => void popoverPanelPart.preload()}
        onClick={() => onOpenChange(!isOpen)}
        {...button}
      />
      {wasOpened ? (
        // If the code fails to load, the popover closes. Each change of `isOpen` then retries, including this one.
        <LoadedPart
          part={popoverPanelPart}
          renderFailure={() => null}
          onFailure={() => onOpenChange(false)}
          resetKeys={[isOpen]}
        >
          {(PopoverPanel) => (
            <PopoverPanel id={id} trigger={trigger} isOpen={isOpen} onOpenChange={onOpenChange} {...panel}>
              {children}
            </PopoverPanel>
          )}
        </LoadedPart>
      ) : null}
    </>
  );
};
