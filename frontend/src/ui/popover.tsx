import { useId, useRef, useState, type ComponentProps, type ReactNode } from 'react';
import { createPart, LoadedPart } from '@/ui/loaded-part';

export const popoverPanelPart = createPart(async () => (await import('@/ui/popover-panel')).PopoverPanel);

export interface PopoverProps {
  /** The button that opens it. */
  button: ComponentProps<'button'>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  /** What the panel is called. */
  label: string;
  align?: 'start' | 'center' | 'end';
  className?: string;
  /** Takes the focus when the panel closes, instead of the button; prevents the event's default to do so. */
  onCloseAutoFocus?: (event: Event) => void;
  children: ReactNode;
}

/** A button with a panel above it. What positions the panel is loaded when the button is first pointed at or pressed. */
export const Popover = ({ button, isOpen, onOpenChange, children, ...panel }: PopoverProps) => {
  const id = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  // It stays for its closing animation, and to return the focus.
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
        <LoadedPart part={popoverPanelPart} broken={() => null} resetKeys={[isOpen]}>
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
