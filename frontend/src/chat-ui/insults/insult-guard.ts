import { create } from 'zustand';
import { isHidingInsults, useIsHidingInsults } from '@/product/stranger-choices';

interface InsultGuard {
  isInsult: (text: string) => boolean;
}

/** Finds no insults until its code is loaded: the word list and its matcher are not needed for the first paint. */
export const useInsultGuard = create<InsultGuard>()(() => ({ isInsult: () => false }));

export const insultGuardPart = {
  /** Never rejects. */
  preload: async (): Promise<void> => {
    try {
      const { isInsult } = await import('@/chat-ui/insults/is-insult');
      useInsultGuard.setState({ isInsult });
    } catch (error) {
      console.warn('Insults of strangers are not hidden', error);
    }
  },
};

/** Whether a text of a stranger is hidden at the moment. */
export const isHiddenInsult = (text: string): boolean =>
  isHidingInsults() && useInsultGuard.getState().isInsult(text);

/** Whether a text of a stranger is hidden. An empty text never is. */
export const useIsHiddenInsult = (text: string): boolean => {
  const isInsult = useInsultGuard((guard) => guard.isInsult);
  return useIsHidingInsults() && text !== '' && isInsult(text);
};
