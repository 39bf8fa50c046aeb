import { createStoredSwitch } from '@/lib/stored-value';

/** Whether a sound may call for attention (B14). */
export const {
  read: soundChoice,
  write: chooseSound,
  useValue: useSoundChoice,
} = createStoredSwitch('thaw-sound');
