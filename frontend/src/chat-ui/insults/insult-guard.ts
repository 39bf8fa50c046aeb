import { create } from 'zustand';
import { isHidingInsults, useIsHidingInsults } from '@/product/stranger-settings';

interface InsultGuard {
  isInsult: (text: string) => boolean;
}

/** Finds no insults until its code is loaded: the word list and its matcher are not needed for the first paint. */
export const useInsultGuard = create<InsultGuard>()(() => ({ isInsult: () => false }));

/** Passed to `usePreloaded`, which loads this code like that of a lazily loaded component (a part). */
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

/** Whether a stranger's text is hidden: the user hides insults, and the text is one. */
export const isHiddenInsult = (text: string): boolean =>
  isHidingInsults() && useInsultGuard.getState().isInsult(text);

/** The same as a hook, which renders again when the answer changes. */
export const useIsHiddenInsult = (text: string): boolean => {
  const isInsult = useInsultGuard((guard) => guard.isInsult);
  return useIsHidingInsults() && isInsult(text);
};
