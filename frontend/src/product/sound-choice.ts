import { createDeviceSwitch } from '@/lib/device-switch';

/** Whether a sound may call for attention (B14). */
export const {
  isOn: soundChoice,
  choose: chooseSound,
  useIsOn: useSoundChoice,
} = createDeviceSwitch('thaw-sound');
