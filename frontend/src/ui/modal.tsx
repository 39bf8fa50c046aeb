import { X } from 'lucide-react';
import * as Dialog from 'radix-ui/dialog';
import { useRef, type ReactNode } from 'react';
import { cn } from '@/lib/class-names';
import { copy } from '@/ui/copy';
import { rememberFocus, returnFocus } from '@/ui/focus-return';

export interface ModalProps {
  isOpen: boolean;
  title: string;
  description?: string;
  /** Without it the modal cannot be dismissed: there is no X, and Esc and a click outside are inert. */
  onDismiss?: () => void;
  /** For as long as it is set the X, Esc and a click outside are inert. */
  isLocked?: boolean;
  children: ReactNode;
  className?: string;
}

const ignore = (event: Event): void => event.preventDefault();

/**
 * A dialog in the middle; a sheet at the bottom on phones. The focus returns to where it was. While something inside
 * is marked with `data-unsaved`, a click outside is taken for a slip.
 */
export const Modal = ({
  isOpen,
  title,
  description,
  onDismiss,
  isLocked = false,
  children,
  className,
}: ModalProps) => {
  const content = useRef<HTMLDivElement>(null);
  const isInert = !onDismiss || isLocked;
  const keepUnsaved = (event: Event): void => {
    if (content.current?.querySelector('[data-unsaved="true"]')) event.preventDefault();
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => (open || isInert ? undefined : onDismiss())}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil fixed inset-0 z-modal bg-overlay backdrop-blur-[2px]" />
        <div className="pointer-events-none fixed inset-x-0 top-0 z-modal flex h-(--app-height) items-end justify-center md:items-center md:p-6">
          <Dialog.Content
            ref={content}
            onOpenAutoFocus={rememberFocus}
            onCloseAutoFocus={returnFocus}
            onEscapeKeyDown={isInert ? ignore : undefined}
            onInteractOutside={isInert ? ignore : keepUnsaved}
            {...(description ? {} : { 'aria-describedby': undefined })}
            className={cn(
              'pop pointer-events-auto relative flex max-h-[calc(var(--app-height)*0.92)] w-full flex-col overflow-hidden bg-popover shadow-elevated outline-none',
              'rounded-t-sheet md:max-h-[min(var(--app-height)*0.92,52rem)] md:max-w-md md:rounded-sheet',
              className,
            )}
          >
            <div className={cn('shrink-0 px-6 pt-6', onDismiss && 'pr-16')}>
              <Dialog.Title className="text-xl font-bold">{title}</Dialog.Title>
              {description ? (
                <Dialog.Description className="mt-1 text-base text-muted-foreground">
                  {description}
                </Dialog.Description>
              ) : null}
            </div>
            <div className="min-h-0 overflow-y-auto overscroll-contain px-6 pb-[max(1.5rem,env(safe-area-inset-bottom))]">
              {children}
            </div>
            {onDismiss ? (
              <Dialog.Close
                aria-label={copy.close}
                disabled={isLocked}
                className="absolute top-4 right-3 grid size-11 place-items-center rounded-control text-muted-foreground transition-colors hover:bg-raised hover:text-foreground disabled:pointer-events-none disabled:opacity-50"
              >
                <X className="size-5" aria-hidden="true" />
              </Dialog.Close>
            ) : null}
          </Dialog.Content>
        </div>
      </Dialog.Portal>
    </Dialog.Root>
  );
};
