import { createPart, LoadedPart } from '@/ui/loaded-part';
import { useToasts } from '@/ui/toast-store';

/** Comes with the first toast, or when the page has nothing else to do. */
export const toasterPart = createPart(async () => (await import('@/ui/toaster')).Toaster);

/** An open modal hides the rest of the page from screen readers, but nothing that holds a live region: this stays. */
export const Toasts = () => {
  const shown = useToasts((state) => state.shown?.id);
  return (
    <div aria-live="off">
      {shown === undefined ? null : (
        // The next toast tries again.
        <LoadedPart part={toasterPart} broken={() => null} resetKeys={[shown]}>
          {(Toaster) => <Toaster />}
        </LoadedPart>
      )}
    </div>
  );
};
