import { createDeviceSwitch } from '@/lib/device-switch';

/** Whether New Conversation starts searching at once (A57). */
export const {
  isOn: searchesAtOnce,
  choose: chooseSearchAtOnce,
  useIsOn: useSearchesAtOnce,
} = createDeviceSwitch('thaw-search-at-once');
