import { createStoredSwitch } from '@/lib/stored-value';

/** Setting: play sounds for new events (B14). */
export const {
  read: soundChoice,
  write: chooseSound,
  useValue: useSoundChoice,
} = createStoredSwitch('thaw-sound');
