import { create } from 'zustand';
import { loadSuggestionSource } from '@/features/suggestions/api/model-suggestions';
import { browserStorage } from '@/lib/storage';

const modelChoices = ['model', 'page'] as const;
/** Where suggestions come from: the server's language model, or only the prepared questions of this page. */
export type ModelChoice = (typeof modelChoices)[number];

interface ModelState {
  /** Host of the server's language model; null if there is none, or until it is known. */
  host: string | null;
  /** The choices made in this browser, by user id. Absent for a user who has not chosen yet. */
  choices: Readonly<Record<number, ModelChoice | undefined>>;
}

export const useModel = create<ModelState>()(() => ({ host: null, choices: {} }));

const storageKey = (userId: number): string => `thaw-suggestions-source-${userId}`;
/** The stored form of a choice. It contains the host, because consent is given to one host only. */
const formatChoice = (choice: ModelChoice, host: string): string => `${choice} ${host}`;

/** Returns the choice that a user has made for this host. */
const readChoice = (userId: number, host: string): ModelChoice | undefined => {
  const stored = browserStorage.read(storageKey(userId));
  return modelChoices.find((choice) => formatChoice(choice, host) === stored);
};

let hostLoading: Promise<void> | undefined;

/** Loads the host of the model, once per page load. After a failed request, the next call tries again. */
const loadHost = (): Promise<void> => {
  hostLoading ??= loadSuggestionSource().then(
    ({ host }) => useModel.setState({ host }),
    () => {
      hostLoading = undefined;
    },
  );
  return hostLoading;
};

/** Loads the host of the model, and the user's choice for this host. Never rejects: on a failure, there is no model. */
export const loadModel = async (userId: number): Promise<void> => {
  await loadHost();
  const { host, choices } = useModel.getState();
  if (host === null || choices[userId]) return;
  useModel.setState({ choices: { ...choices, [userId]: readChoice(userId, host) } });
};

/** Remembers the choice of the user in this browser. */
export const saveModelChoice = (userId: number, choice: ModelChoice): void => {
  const { host, choices } = useModel.getState();
  useModel.setState({ choices: { ...choices, [userId]: choice } });
  // The page offers the choice only when the host is known, so `host` is not null here.
  browserStorage.write(storageKey(userId), formatChoice(choice, host ?? ''));
};

/** Resets this store between tests. */
export const resetModel = (): void => {
  hostLoading = undefined;
  useModel.setState({ host: null, choices: {} });
};
