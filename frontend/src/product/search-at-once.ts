import { createStoredSwitch } from '@/lib/stored-value';

/** Setting: New Conversation immediately starts a search. */
export const {
  read: isSearchAtOnceOn,
  write: setSearchAtOnceOn,
  useValue: useIsSearchAtOnceOn,
} = createStoredSwitch('thaw-search-at-once');
