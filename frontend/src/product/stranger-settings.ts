import { createStoredSwitch } from '@/lib/stored-value';

/** Setting: insulting messages of strangers are hidden until they are pressed. */
export const {
  read: isHidingInsults,
  write: setHidingInsults,
  useValue: useIsHidingInsults,
} = createStoredSwitch('thaw-hide-insults', { isOnByDefault: true });

/** Setting: uploaded profile pictures of strangers are blurred until they are pressed. */
export const { write: setBlurringPictures, useValue: useIsBlurringPictures } = createStoredSwitch(
  'thaw-blur-pictures',
  { isOnByDefault: true },
);
