import { useSyncExternalStore } from 'react';
import { pageLimits } from '@/lib/page-limits';

/** A window exactly as wide as the breakpoint counts as wide. */
const query = `(min-width: ${pageLimits.mobileBreakpointPx}px)`;

const subscribe = (onChange: () => void): (() => void) => {
  const list = window.matchMedia(query);
  list.addEventListener('change', onChange);
  return () => list.removeEventListener('change', onChange);
};

/** Whether the window is wide enough to show the sidebar next to the chat. */
export const useIsWide = (): boolean =>
  useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
