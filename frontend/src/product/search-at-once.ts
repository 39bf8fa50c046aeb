import { createStoredSwitch } from '@/lib/stored-value';

/** Whether New Conversation starts searching at once (A57). */
export const {
  read: searchesAtOnce,
  write: chooseSearchAtOnce,
  useValue: useSearchesAtOnce,
} = createStoredSwitch('thaw-search-at-once');
