import { X } from 'lucide-react';
import * as Dialog from 'radix-ui/dialog';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { cn } from '@/lib/class-names';
import { Button } from '@/ui/button';
import { copy } from '@/ui/copy';
import { rememberFocus, returnFocus } from '@/ui/focus-return';
import { useToasts } from '@/ui/toast-store';
import { usePullToDismiss } from '@/ui/use-pull-to-dismiss';

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

/** Whether the present press of Escape found a toast open, which Radix closes in the dialog's stead. */
const useEscapeForToast = (isOpen: boolean): { current: boolean } => {
  const isForToast = useRef(false);
  useEffect(() => {
    if (!isOpen) return;
    // On window in the capture phase, before Radix closes anything.
    const look = ({ key }: globalThis.KeyboardEvent): void => {
      isForToast.current = key === 'Escape' && useToasts.getState().shown?.isOpen === true;
    };
    window.addEventListener('keydown', look, { capture: true });
    return () => window.removeEventListener('keydown', look, { capture: true });
  }, [isOpen]);
  return isForToast;
};

const Discard = ({ onDiscard, onKeep }: { onDiscard: () => void; onKeep: () => void }) => (
  <div
    role="alertdialog"
    aria-label={copy.discard.question}
    className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-border px-6 py-3"
  >
    <p className="mr-auto text-base font-semibold">{copy.discard.question}</p>
    <Button variant="ghost" onClick={onKeep}>
      {copy.discard.cancel}
    </Button>
    <Button autoFocus variant="destructive" onClick={onDiscard}>
      {copy.discard.confirm}
    </Button>
  </div>
);

/**
 * A dialog in the middle; on phones a sheet at the bottom, which can be pulled down by its head. The focus returns to where it was. While something inside
 * is marked with `data-unsaved`, a click outside is taken for a slip, and Escape asks before it closes.
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
  const [isAsking, setAsking] = useState(false);
  const isForToast = useEscapeForToast(isOpen);
  // Where the focus was when the question came up.
  const askedFrom = useRef<Element | null>(null);
  const isInert = !onDismiss || isLocked;
  if (!isOpen && isAsking) setAsking(false);
  const isUnsaved = (): boolean => content.current?.querySelector('[data-unsaved="true"]') != null;
  const keepUnsaved = (event: Event): void => {
    if (isUnsaved()) event.preventDefault();
  };
  const dismiss = (): void => {
    setAsking(false);
    if (!isInert) onDismiss();
  };
  const keepEditing = (): void => {
    setAsking(false);
    if (askedFrom.current instanceof HTMLElement) askedFrom.current.focus();
  };
  /** True when the question takes the key; a second press answers it with "Keep editing". */
  const isAboutChanges = (): boolean => {
    if (isAsking) {
      keepEditing();
      return true;
    }
    if (!isUnsaved()) return false;
    askedFrom.current = document.activeElement;
    setAsking(true);
    return true;
  };
  const escape = (event: globalThis.KeyboardEvent): void => {
    if (isInert || isAboutChanges()) event.preventDefault();
  };
  // A toast takes the key from Radix; the dialog in which it was pressed is dismissed by the same press.
  const escapeWithToast = ({ key, target }: KeyboardEvent): void => {
    // React's events bubble from dialogs within; those answer for themselves.
    if (key !== 'Escape' || !isForToast.current || !content.current?.contains(target as Node)) return;
    if (!isInert && !isAboutChanges()) dismiss();
  };
  const pull = usePullToDismiss(() => {
    if (isInert || isAboutChanges()) return false;
    dismiss();
    return true;
  });
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => (open ? undefined : dismiss())}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil fixed inset-0 z-modal bg-overlay backdrop-blur-[2px]" />
        <div className="pointer-events-none fixed inset-x-0 top-0 z-modal flex h-(--app-height) items-end justify-center md:items-center md:p-6">
          <Dialog.Content
            ref={content}
            onOpenAutoFocus={rememberFocus}
            onCloseAutoFocus={returnFocus}
            onEscapeKeyDown={escape}
            onKeyDown={escapeWithToast}
            onInteractOutside={isInert ? ignore : keepUnsaved}
            {...(description ? {} : { 'aria-describedby': undefined })}
            className={cn(
              'pop pointer-events-auto relative flex max-h-[calc(var(--app-height)*0.92)] w-full flex-col overflow-hidden bg-popover shadow-elevated outline-none',
              'rounded-t-sheet md:max-h-[min(var(--app-height)*0.92,52rem)] md:max-w-md md:rounded-sheet',
              className,
            )}
          >
            <div
              data-controls=""
              className={cn('shrink-0 px-6 pt-6', onDismiss && 'touch-none pr-16')}
              {...(onDismiss ? pull : {})}
            >
              {onDismiss ? (
                <span
                  aria-hidden="true"
                  className="absolute top-2 left-1/2 h-1 w-9 -translate-x-1/2 rounded-full bg-input md:hidden"
                />
              ) : null}
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
            {isAsking ? <Discard onDiscard={dismiss} onKeep={keepEditing} /> : null}
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
