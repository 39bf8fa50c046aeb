import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { loadPart } from '@/lib/missing-chunk';
import { reportRenderError } from '@/lib/report-error';

/** A component whose code is loaded when it is first needed, or ahead of that. */
export interface Part<P> {
  /** Loads it ahead of need; never rejects. */
  preload: () => Promise<void>;
  /** The component; after a failed load a new one, which loads again. */
  current: () => ComponentType<P>;
}

export const createPart = <P extends object>(load: () => Promise<ComponentType<P>>): Part<P> => {
  let loaded: ComponentType<P> | undefined;
  let pending: ComponentType<P> | undefined;
  const begin = (): ComponentType<P> =>
    lazy(async () => {
      try {
        loaded = await loadPart(load);
        return { default: loaded };
      } catch (error) {
        // React keeps the rejection of a lazy component; the next attempt needs another one.
        pending = undefined;
        throw error;
      }
    });
  return {
    preload: async () => {
      try {
        loaded ??= await load();
      } catch (error) {
        console.warn('A part was not loaded ahead; it is loaded when it is needed', error);
      }
    },
    current: () => loaded ?? (pending ??= begin()),
  };
};

export interface LoadedPartProps<P> {
  part: Part<P>;
  children: (Loaded: ComponentType<P>) => ReactNode;
  /** Shown while it is loaded. */
  pending?: ReactNode;
  /** Shown when it was not loaded, or failed. */
  broken: (failure: { error: unknown; retry: () => void }) => ReactNode;
  /** A change of one of these tries again. */
  resetKeys?: readonly unknown[];
}

/** A part of the page that is loaded late; each attempt loads it again, and what fails in it stays in it. */
export const LoadedPart = <P extends object>({
  part,
  children,
  pending = null,
  broken,
  resetKeys = [],
}: LoadedPartProps<P>) => {
  const [Loaded, setLoaded] = useState(() => part.current());
  return (
    <ErrorBoundary
      fallbackRender={({ error, resetErrorBoundary }) => broken({ error, retry: resetErrorBoundary })}
      onError={reportRenderError}
      onReset={() => setLoaded(() => part.current())}
      resetKeys={[...resetKeys]}
    >
      <Suspense fallback={pending}>{children(Loaded)}</Suspense>
    </ErrorBoundary>
  );
};
