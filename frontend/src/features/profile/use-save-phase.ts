import { useEffect, useState } from 'react';
import { pageLimits } from '@/lib/page-limits';

export type SavePhase = 'idle' | 'loading' | 'success' | 'error';

const shownForMs: Record<SavePhase, number | null> = {
  idle: null,
  loading: null,
  success: pageLimits.profileSavedMs,
  error: pageLimits.profileErrorMs,
};

/** States of the save button; `success` and `error` return to `idle` after a delay. */
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
    /** On an edit, the outcome of the last attempt is no longer shown (A171). */
    edited: () => setPhase((present) => (present === 'loading' ? present : 'idle')),
  };
};
