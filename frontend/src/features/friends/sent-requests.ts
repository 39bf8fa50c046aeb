import { create } from 'zustand';

export type SentState = 'sending' | 'sent';

interface SentRequests {
  /** By the person asked; every Add Friend of the page shows the same (A138). */
  readonly byPerson: Readonly<Partial<Record<number, SentState>>>;
  set: (personId: number, state: SentState) => void;
  forget: (personId: number) => void;
  /** A new match, or somebody else at this page (A139). */
  reset: () => void;
}

export const useSentRequests = create<SentRequests>()((set) => ({
  byPerson: {},
  set: (personId, state) => set(({ byPerson }) => ({ byPerson: { ...byPerson, [personId]: state } })),
  forget: (personId) => set(({ byPerson: { [personId]: _, ...byPerson } }) => ({ byPerson })),
  reset: () => set({ byPerson: {} }),
}));
