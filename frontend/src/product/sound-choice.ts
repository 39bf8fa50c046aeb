import { createStoredSwitch } from '@/lib/stored-value';

/** Setting: play sounds for new messages and other news. */
export const {
  read: isSoundOn,
  write: setSoundOn,
  useValue: useIsSoundOn,
} = createStoredSwitch('thaw-sound');
