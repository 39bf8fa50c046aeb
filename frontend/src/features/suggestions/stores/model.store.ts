import { create } from 'zustand';
import { loadSource } from '@/features/suggestions/api/model-suggestions';
import { browserStorage } from '@/lib/storage';

export type ModelChoice = 'model' | 'page';

interface ModelState {
  /** Host of the server's language model; null without one, or until that is known. */
  host: string | null;
  /** What users of this browser have chosen, by user id. Absent: not asked yet. */
  choices: Readonly<Record<number, ModelChoice | undefined>>;
}

export const useModel = create<ModelState>()(() => ({ host: null, choices: {} }));

const storageKey = (userId: number): string => `thaw-suggestions-source-${userId}`;

/** Consent is for one host: the choice about another one does not count. */
const readChoice = (userId: number, host: string): ModelChoice | undefined => {
  const [choice, about] = browserStorage.read(storageKey(userId))?.split(' ') ?? [];
  return (choice === 'model' || choice === 'page') && about === host ? choice : undefined;
};

let loading: Promise<void> | undefined;

/** Asks the server once per page and user. Without an answer there is no model. */
export const loadModel = (userId: number): Promise<void> => {
  loading ??= loadSource().then(
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
export const chooseSource = (userId: number, choice: ModelChoice): void => {
  const { host, choices } = useModel.getState();
  useModel.setState({ choices: { ...choices, [userId]: choice } });
  browserStorage.write(storageKey(userId), `${choice} ${host ?? ''}`);
};

/** For tests. */
export const forgetModel = (): void => {
  loading = undefined;
  useModel.setState({ host: null, choices: {} });
};
