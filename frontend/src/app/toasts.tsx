import { createPart, LoadedPart } from '@/ui/loaded-part';
import { useToasts } from '@/ui/toast-store';

/** The code that shows toasts, loaded with the first toast or while the page is idle. */
export const toasterPart = createPart(async () => (await import('@/ui/toaster')).Toaster);

/**
 * Shows the current toast. An open modal hides the rest of the page from screen readers, except elements with
 * `aria-live`. So that a toast shown above a modal is not hidden, its container has this attribute and is always
 * mounted. The value is `off`, because `Toaster` announces the toast itself.
 */
export const Toasts = () => {
  const shownId = useToasts((state) => state.shown?.id);
  return (
    <div aria-live="off">
      {shownId === undefined ? null : (
        // The next toast retries the load.
        <LoadedPart part={toasterPart} renderFailure={() => null} resetKeys={[shownId]}>
          {(Toaster) => <Toaster />}
        </LoadedPart>
      )}
    </div>
  );
};
