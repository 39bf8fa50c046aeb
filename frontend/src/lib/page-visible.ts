import { useSyncExternalStore } from 'react';

const subscribe = (onChange: () => void): (() => void) => {
  document.addEventListener('visibilitychange', onChange);
  return () => document.removeEventListener('visibilitychange', onChange);
};

export const isPageVisible = (): boolean => document.visibilityState === 'visible';

/** Whether this tab is visible. */
export const usePageVisible = (): boolean => useSyncExternalStore(subscribe, isPageVisible);
