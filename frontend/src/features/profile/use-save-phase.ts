import { useEffect, useState } from 'react';
import { pageLimits } from '@/lib/page-limits';

export type SavePhase = 'idle' | 'loading' | 'success' | 'error';

/** How long a phase lasts before it returns to `idle`; null if it lasts until the form sets another one. */
const phaseDurationsMs: Record<SavePhase, number | null> = {
  idle: null,
  loading: null,
  success: pageLimits.profileSavedMs,
  error: pageLimits.profileErrorMs,
};

/** The phase of saving that the save button shows; `success` and `error` return to `idle` after a delay. */
export const useSavePhase = () => {
  const [phase, setPhase] = useState<SavePhase>('idle');
  useEffect(() => {
    const delayMs = phaseDurationsMs[phase];
    if (delayMs === null) return;
    const timer = setTimeout(() => setPhase('idle'), delayMs);
    return () => clearTimeout(timer);
  }, [phase]);
  return {
    phase,
    showSaving: () => setPhase('loading'),
    showSaved: () => setPhase('success'),
    showFailed: () => setPhase('error'),
    /** Called when the user edits a field: hides the outcome of the previous attempt. A running save stays shown. */
    hideOutcome: () => setPhase((current) => (current === 'loading' ? current : 'idle')),
  };
};
