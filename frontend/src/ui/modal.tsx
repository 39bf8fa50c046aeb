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
  /** Called to close the modal. If absent, there is no X, and Escape and a click outside have no effect. */
  onDismiss?: () => void;
  /** While true, the X, Escape and a click outside have no effect. */
  isLocked?: boolean;
  /**
   * True for a dialog that the page opens without an action of the user. Then the dialog gets the focus instead of its
   * first control, so that an Enter meant for another field does not press a control.
   */
  isOpenedByPage?: boolean;
  children: ReactNode;
  className?: string;
}

/**
 * Records whether an Escape was pressed while a toast was open and is not handled yet: Radix gives it either to the
 * toast alone or to the modal, whichever was opened later.
 */
const useEscapeForToast = (isOpen: boolean): { isUnhandled: () => boolean; markHandled: () => void } => {
  const isUnhandled = useRef(false);
  useEffect(() => {
    if (!isOpen) return;
    // In the capture phase on window, before a handler of Radix closes the toast.
    const recordEscape = ({ key }: globalThis.KeyboardEvent): void => {
      isUnhandled.current = key === 'Escape' && useToasts.getState().shown?.isOpen === true;
    };
    window.addEventListener('keydown', recordEscape, { capture: true });
    return () => window.removeEventListener('keydown', recordEscape, { capture: true });
  }, [isOpen]);
  return {
    isUnhandled: () => isUnhandled.current,
    markHandled: () => {
      isUnhandled.current = false;
    },
  };
};

const DiscardQuestion = ({ onDiscard, onKeep }: { onDiscard: () => void; onKeep: () => void }) => (
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
 * A centred dialog; on phones a bottom sheet, which can be pulled down by its header. Returns the focus to the opener.
 * While an element inside has `data-unsaved="true"`, a click outside is ignored, and Escape and the pull ask before
 * closing; the X closes without asking.
 */
export const Modal = ({
  isOpen,
  title,
  description,
  onDismiss,
  isLocked = false,
  isOpenedByPage = false,
  children,
  className,
}: ModalProps) => {
  const content = useRef<HTMLDivElement>(null);
  const [isAskingToDiscard, setAskingToDiscard] = useState(false);
  const escapeForToast = useEscapeForToast(isOpen);
  // The element that had the focus when the question 'Discard your changes?' was shown.
  const focusBeforeQuestion = useRef<Element | null>(null);
  const canDismiss = onDismiss !== undefined && !isLocked;
  // The parent may close the modal while the question is shown.
  if (!isOpen && isAskingToDiscard) setAskingToDiscard(false);
  const hasUnsavedChanges = (): boolean => content.current?.querySelector('[data-unsaved="true"]') != null;
  const dismiss = (): void => {
    setAskingToDiscard(false);
    if (canDismiss) onDismiss();
  };
  const askToDiscard = (): void => {
    focusBeforeQuestion.current = document.activeElement;
    setAskingToDiscard(true);
  };
  const keepEditing = (): void => {
    setAskingToDiscard(false);
    if (focusBeforeQuestion.current instanceof HTMLElement) focusBeforeQuestion.current.focus();
  };
  /**
   * Dismisses the modal if there are no unsaved changes; otherwise asks, or hides the question if it is already shown.
   * @returns whether the modal closes
   */
  const dismissOrAsk = (): boolean => {
    if (!canDismiss) return false;
    if (isAskingToDiscard) {
      keepEditing();
      return false;
    }
    if (hasUnsavedChanges()) {
      askToDiscard();
      return false;
    }
    dismiss();
    return true;
  };
  const handleEscape = (event: globalThis.KeyboardEvent): void => {
    event.preventDefault(); // otherwise Radix would dismiss the modal without asking
    escapeForToast.markHandled();
    dismissOrAsk();
  };
  // If a toast was opened after the modal, Radix only closes the toast and does not call `handleEscape`.
  const handleEscapeForToast = ({ key, target }: KeyboardEvent): void => {
    if (key !== 'Escape' || !escapeForToast.isUnhandled()) return;
    // React events also bubble from nested dialogs, which handle their own Escape.
    if (content.current?.contains(target as Node)) dismissOrAsk();
  };
  const handleClickOutside = (event: Event): void => {
    if (!canDismiss || hasUnsavedChanges()) event.preventDefault();
  };
  const pullHandlers = usePullToDismiss(dismissOrAsk);
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(open) => {
        if (!open) dismiss();
      }}
    >
      <Dialog.Portal>
        <Dialog.Overlay className="veil fixed inset-0 z-modal bg-overlay backdrop-blur-[2px]" />
        <div className="pointer-events-none fixed inset-x-0 top-0 z-modal flex h-(--app-height) items-end justify-center md:items-center md:p-6">
          <Dialog.Content
            ref={content}
            onOpenAutoFocus={(event) => {
              rememberFocus(event);
              if (!isOpenedByPage) return;
              event.preventDefault();
              content.current?.focus();
            }}
            onCloseAutoFocus={returnFocus}
            onEscapeKeyDown={handleEscape}
            onKeyDown={handleEscapeForToast}
            onInteractOutside={handleClickOutside}
            // Radix warns about a missing description unless this attribute is explicitly undefined.
            {...(description ? {} : { 'aria-describedby': undefined })}
            className={cn(
              'pop pointer-events-auto relative flex max-h-[calc(var(--app-height)*0.92)] w-full flex-col overflow-hidden bg-popover shadow-elevated outline-none',
              'rounded-t-sheet md:max-h-[min(var(--app-height)*0.92,52rem)] md:max-w-md md:rounded-sheet',
              className,
            )}
          >
            <div
              // A toast must not cover this header (use-toast-top.ts).
              data-controls=""
              className={cn('shrink-0 px-6 pt-6', onDismiss && 'touch-none pr-16')}
              {...(onDismiss ? pullHandlers : {})}
            >
              {onDismiss ? (
                <span
                  aria-hidden="true"
                  className="absolute top-2 left-1/2 h-1 w-9 -translate-x-1/2 rounded-full bg-input md:hidden"
                />
              ) : null}
              <Dialog.Title className="text-xl font-bold wrap-anywhere">{title}</Dialog.Title>
              {description ? (
                <Dialog.Description className="mt-1 text-base wrap-anywhere text-muted-foreground">
                  {description}
                </Dialog.Description>
              ) : null}
            </div>
            <div className="min-h-0 overflow-y-auto overscroll-contain px-6 pb-[max(1.5rem,env(safe-area-inset-bottom))]">
              {children}
            </div>
            {isAskingToDiscard ? <DiscardQuestion onDiscard={dismiss} onKeep={keepEditing} /> : null}
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
