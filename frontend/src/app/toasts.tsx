import { createPart, LoadedPart } from '@/ui/loaded-part';
import { useToasts } from '@/ui/toast-store';

/** Loaded with the first toast, or while the page is idle. */
export const toasterPart = createPart(async () => (await import('@/ui/toaster')).Toaster);

/**
 * An open modal hides the rest of the page from screen readers except elements that contain a live region, so this
 * container stays mounted.
 */
export const Toasts = () => {
  const shown = useToasts((state) => state.shown?.id);
  return (
    <div aria-live="off">
      {shown === undefined ? null : (
        // The next toast retries the load.
        <LoadedPart part={toasterPart} broken={() => null} resetKeys={[shown]}>
          {(Toaster) => <Toaster />}
        </LoadedPart>
      )}
    </div>
  );
};
