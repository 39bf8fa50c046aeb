import { useSyncExternalStore } from 'react';
import { pageLimits } from '@/lib/page-limits';

/** 768 px exactly is wide (A163). */
const query = `(min-width: ${pageLimits.mobileBreakpointPx}px)`;

const subscribe = (onChange: () => void): (() => void) => {
  const list = window.matchMedia(query);
  list.addEventListener('change', onChange);
  return () => list.removeEventListener('change', onChange);
};

/** Whether there is room for what stands beside the chat on a desk. */
export const useIsWide = (): boolean =>
  useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
