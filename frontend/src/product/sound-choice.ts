import { createStoredSwitch } from '@/lib/stored-value';

/** Setting: play sounds for new events (B14). */
export const {
  read: isSoundOn,
  write: setSoundOn,
  useValue: useIsSoundOn,
} = createStoredSwitch('thaw-sound');
