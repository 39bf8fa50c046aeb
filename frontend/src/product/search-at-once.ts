import { createStoredSwitch } from '@/lib/stored-value';

/** Setting: New Conversation starts a search at once (A57). */
export const {
  read: searchesAtOnce,
  write: chooseSearchAtOnce,
  useValue: useSearchesAtOnce,
} = createStoredSwitch('thaw-search-at-once');
