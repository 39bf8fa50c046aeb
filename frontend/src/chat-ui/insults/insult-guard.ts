import { create } from 'zustand';
import { isHidingInsults, useIsHidingInsults } from '@/product/stranger-choices';

interface InsultGuard {
  isInsult: (text: string) => boolean;
}

/** Finds nothing until its code is loaded: the list and its matcher are no part of the chat's first paint. */
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

/** Whether the text of a stranger is hidden now. */
export const isHiddenInsult = (text: string): boolean =>
  isHidingInsults() && useInsultGuard.getState().isInsult(text);

/** Whether the text of a stranger is hidden; '' never is. */
export const useIsHiddenInsult = (text: string): boolean => {
  const isInsult = useInsultGuard((guard) => guard.isInsult);
  return useIsHidingInsults() && text !== '' && isInsult(text);
};
