import { createStoredSwitch } from '@/lib/stored-value';

/** Setting: New Conversation starts a search at once (A57). */
export const {
  read: isSearchAtOnceOn,
  write: setSearchAtOnceOn,
  useValue: useIsSearchAtOnceOn,
} = createStoredSwitch('thaw-search-at-once');
