import { useEffect } from 'react';
import {
  loadModel,
  type ModelChoice,
  saveModelChoice,
  useModel,
} from '@/features/suggestions/stores/model.store';
import { useIdentity } from '@/product/identity';

/** The server's language model, and whether the user has chosen to use it. */
export const useModelChoice = () => {
  const userId = useIdentity(({ user }) => user?.id ?? null);
  const host = useModel((state) => state.host);
  const choice = useModel(({ choices }) => (userId === null ? undefined : choices[userId]));
  useEffect(() => {
    if (userId !== null) void loadModel(userId);
  }, [userId]);
  return {
    /** Host name of the model; null if there is none, or until it is known. */
    host,
    isUndecided: host !== null && userId !== null && choice === undefined,
    /** Id of the user, if they have agreed to use the model; otherwise null. */
    consentingUserId: host !== null && choice === 'model' ? userId : null,
    choose: (chosen: ModelChoice): void => {
      if (userId !== null) saveModelChoice(userId, chosen);
    },
  };
};
