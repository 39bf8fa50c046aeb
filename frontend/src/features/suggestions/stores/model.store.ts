import { create } from 'zustand';
import { loadSuggestionSource } from '@/features/suggestions/api/model-suggestions';
import { browserStorage } from '@/lib/storage';

/** Where suggestions come from: the server's language model, or only the prepared questions of this page. */
export type ModelChoice = 'model' | 'page';

interface ModelState {
  /** Host of the server's language model; null if there is none, or until it is known. */
  host: string | null;
  /** The choices made in this browser, by user id. Absent for a user who has not chosen yet. */
  choices: Readonly<Record<number, ModelChoice | undefined>>;
}

export const useModel = create<ModelState>()(() => ({ host: null, choices: {} }));

const storageKey = (userId: number): string => `thaw-suggestions-source-${userId}`;

/** Returns the stored choice of a user. A choice applies to one host only, because consent is given to one host. */
const readChoice = (userId: number, host: string): ModelChoice | undefined => {
  const [choice, chosenHost] = browserStorage.read(storageKey(userId))?.split(' ') ?? [];
  return (choice === 'model' || choice === 'page') && chosenHost === host ? choice : undefined;
};

let loading: Promise<void> | undefined;

/**
 * Loads the host of the model, once per page load, and the choice of the user. If the request fails, there is no model
 * until the next call.
 */
export const loadModel = (userId: number): Promise<void> => {
  loading ??= loadSuggestionSource().then(
    ({ host }) => useModel.setState({ host }),
    () => {
      loading = undefined;
    },
  );
  return loading.then(() => {
    const { host, choices } = useModel.getState();
    if (host === null || choices[userId]) return;
    useModel.setState({ choices: { ...choices, [userId]: readChoice(userId, host) } });
  });
};

/** Remembers the choice of the user in this browser. */
export const saveModelChoice = (userId: number, choice: ModelChoice): void => {
  const { host, choices } = useModel.getState();
  useModel.setState({ choices: { ...choices, [userId]: choice } });
  // The page offers the choice only when the host is known, so `host` is not null here.
  browserStorage.write(storageKey(userId), `${choice} ${host ?? ''}`);
};

/** Resets this store between tests. */
export const resetModel = (): void => {
  loading = undefined;
  useModel.setState({ host: null, choices: {} });
};
