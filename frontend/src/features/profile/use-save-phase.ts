import { useEffect, useState } from 'react';
import { pageLimits } from '@/lib/page-limits';

export type SavePhase = 'idle' | 'loading' | 'success' | 'error';

const shownForMs: Record<SavePhase, number | null> = {
  idle: null,
  loading: null,
  success: pageLimits.profileSavedMs,
  error: pageLimits.profileErrorMs,
};

/** The save button's states: success and error go back to idle by themselves. */
export const useSavePhase = () => {
  const [phase, setPhase] = useState<SavePhase>('idle');
  useEffect(() => {
    const delayMs = shownForMs[phase];
    if (delayMs === null) return;
    const timer = setTimeout(() => setPhase('idle'), delayMs);
    return () => clearTimeout(timer);
  }, [phase]);
  return {
    phase,
    begin: () => setPhase('loading'),
    succeed: () => setPhase('success'),
    fail: () => setPhase('error'),
    /** An edit: what was said about the last attempt is no longer of interest (A171). */
    edited: () => setPhase((present) => (present === 'loading' ? present : 'idle')),
  };
};
