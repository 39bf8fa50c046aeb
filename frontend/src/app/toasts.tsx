import { lazy, Suspense } from 'react';
import { useToasts } from '@/ui/toast-store';

// Comes with the first toast.
const Toaster = lazy(async () => ({ default: (await import('@/ui/toaster')).Toaster }));

/** An open modal hides the rest of the page from screen readers, but nothing that holds a live region: this stays. */
export const Toasts = () => {
  const wasNeeded = useToasts(({ shown }) => shown !== null);
  return (
    <div aria-live="off">
      <Suspense fallback={null}>{wasNeeded ? <Toaster /> : null}</Suspense>
    </div>
  );
};
