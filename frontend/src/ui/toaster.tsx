import { X } from 'lucide-react';
import * as Toast from 'radix-ui/toast';
import { cn } from '@/lib/class-names';
import { pageLimits } from '@/lib/page-limits';
import { buttonClass } from '@/ui/button';
import { copy } from '@/ui/copy';
import { closeToast, useToasts } from '@/ui/toast-store';
import { useToastTop } from '@/ui/use-toast-top';

/**
 * Shows the current toast for a few seconds, at the top of the window, so that it does not cover the message field. It
 * is placed below the controls at the top if it does not fit next to them. The key F8 moves the focus to the toast.
 */
export const Toaster = () => {
  const toast = useToasts((state) => state.shown);
  const top = useToastTop(toast?.isOpen ?? false);
  return (
    <Toast.Provider duration={pageLimits.toastMs} swipeDirection="up">
      {toast ? (
        <Toast.Root
          key={toast.id}
          open={toast.isOpen}
          onOpenChange={(open) => {
            if (!open) closeToast(toast.id);
          }}
          className={cn(
            'pop-down pointer-events-auto relative grid gap-1 rounded-card bg-popover py-3 pr-14 pl-4 shadow-elevated',
            'border border-border data-[swipe=move]:translate-y-(--radix-toast-swipe-move-y)',
          )}
        >
          <span
            aria-hidden="true"
            className={cn(
              'absolute inset-y-3 left-0 w-1 rounded-full',
              toast.tone === 'destructive' ? 'bg-destructive' : 'bg-primary',
            )}
          />
          <Toast.Title className="text-base font-semibold">{toast.title}</Toast.Title>
          {toast.description ? (
            <Toast.Description className="text-base wrap-anywhere text-muted-foreground">
              {toast.description}
            </Toast.Description>
          ) : null}
          {toast.action ? (
            <Toast.Action
              altText={toast.action.altText ?? toast.action.label}
              className={buttonClass({ size: 'sm' }, 'mt-1 mb-1 w-fit')}
              onClick={toast.action.run}
            >
              {toast.action.label}
            </Toast.Action>
          ) : null}
          <Toast.Close
            aria-label={copy.close}
            className="absolute top-1 right-1 grid size-11 place-items-center rounded-control text-muted-foreground hover:text-foreground"
          >
            <X className="size-4" aria-hidden="true" />
          </Toast.Close>
        </Toast.Root>
      ) : null}
      {/* On a wide screen, the small padding lets a toast of two lines end above the buttons of a chat's header. */}
      <Toast.Viewport
        hotkey={['F8']}
        style={{ top }}
        className="pointer-events-none fixed inset-x-0 z-top mx-auto grid w-full max-w-112 p-3 pt-[max(0.75rem,env(safe-area-inset-top))] outline-none lg:pt-1"
      />
    </Toast.Provider>
  );
};
