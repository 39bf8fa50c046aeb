import { lazy, Suspense, useState, type ComponentType, type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { loadPart } from '@/lib/missing-chunk';
import { reportRenderError } from '@/lib/report-error';

/** A component whose code is loaded when the component is first rendered, or earlier by `preload`. */
export interface Part<P> {
  /** Preloads the code; never rejects. */
  preload: () => Promise<void>;
  /** Returns the component; after a failed load a new one, which loads the code again. */
  getComponent: () => ComponentType<P>;
}

/** @param load imports the code of the component; called again after a failure. */
export const createPart = <P extends object>(load: () => Promise<ComponentType<P>>): Part<P> => {
  /** Set once the code is loaded. */
  let loaded: ComponentType<P> | undefined;
  /** Loads the code when it is first rendered. */
  let lazyComponent: ComponentType<P> | undefined;
  const createLazyComponent = (): ComponentType<P> =>
    lazy(async () => {
      try {
        loaded = await loadPart(load);
        return { default: loaded };
      } catch (error) {
        // React caches the rejection of a lazy component, so the next attempt needs a new one.
        lazyComponent = undefined;
        throw error;
      }
    });
  return {
    preload: async () => {
      try {
        // Not `loadPart`, which reloads the page when a newer version is deployed.
        loaded ??= await load();
      } catch (error) {
        console.warn('A part was not loaded ahead; it is loaded when it is needed', error);
      }
    },
    getComponent: () => loaded ?? (lazyComponent ??= createLazyComponent()),
  };
};

export interface LoadedPartProps<P> {
  part: Part<P>;
  children: (Component: ComponentType<P>) => ReactNode;
  /** Shown while loading. */
  pending?: ReactNode;
  /** Shown when loading or rendering failed. */
  renderFailure: (failure: { error: unknown; retry: () => void }) => ReactNode;
  /** Called when loading or rendering failed. */
  onFailure?: () => void;
  /** After a failure, a change of one of these values retries. */
  resetKeys?: readonly unknown[];
}

/** Renders a lazily loaded part. Its errors do not affect the rest of the page. A retry loads a failed part again. */
export const LoadedPart = <P extends object>({
  part,
  children,
  pending = null,
  renderFailure,
  onFailure,
  resetKeys = [],
}: LoadedPartProps<P>) => {
  const [Component, setComponent] = useState(() => part.getComponent());
  return (
    <ErrorBoundary
      fallbackRender={({ error, resetErrorBoundary }) => renderFailure({ error, retry: resetErrorBoundary })}
      onError={(error, info) => {
        reportRenderError(error, info);
        onFailure?.();
      }}
      onReset={() => setComponent(() => part.getComponent())}
      resetKeys={[...resetKeys]}
    >
      <Suspense fallback={pending}>{children(Component)}</Suspense>
    </ErrorBoundary>
  );
};
