import * as Dialog from 'radix-ui/dialog';
import { type ReactNode } from 'react';
import { cn } from '@/lib/class-names';

export interface ModalProps {
  isOpen: boolean;
  title: string;
  description?: string;
  /** Without it the modal cannot be dismissed: Esc and a click outside are inert. */
  onDismiss?: () => void;
  children: ReactNode;
  className?: string;
}

const ignore = (event: Event): void => event.preventDefault();

/** A dialog in the middle; a sheet at the bottom on phones. */
export const Modal = ({ isOpen, title, description, onDismiss, children, className }: ModalProps) => (
  <Dialog.Root open={isOpen} onOpenChange={(open) => (open ? undefined : onDismiss?.())}>
    <Dialog.Portal>
      <Dialog.Overlay className="veil fixed inset-0 z-40 bg-overlay backdrop-blur-[2px]" />
      <div className="pointer-events-none fixed inset-0 z-50 flex items-end justify-center md:items-center md:p-6">
        <Dialog.Content
          {...(onDismiss ? {} : { onEscapeKeyDown: ignore, onInteractOutside: ignore })}
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cn(
            'pop pointer-events-auto max-h-[92dvh] w-full overflow-y-auto overscroll-contain bg-popover p-6 pb-[max(1.5rem,env(safe-area-inset-bottom))] shadow-elevated outline-none',
            'rounded-t-sheet md:max-w-md md:rounded-sheet',
            className,
          )}
        >
          <Dialog.Title className="text-xl font-bold">{title}</Dialog.Title>
          {description ? (
            <Dialog.Description className="mt-1 text-base text-muted-foreground">
              {description}
            </Dialog.Description>
          ) : null}
          {children}
        </Dialog.Content>
      </div>
    </Dialog.Portal>
  </Dialog.Root>
);
