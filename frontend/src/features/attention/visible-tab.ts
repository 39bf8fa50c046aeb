import { useEffect } from 'react';

const lockName = 'thaw-visible';

/** Held, shared, by every tab of the chat page that is in sight. Without Web Locks each tab is on its own. */
const locks = (): LockManager | undefined => (navigator as { locks?: LockManager }).locks;

/** Lets other tabs know whether this one is in sight. */
export const useShownToOtherTabs = (isVisible: boolean): void => {
  useEffect(() => {
    if (!isVisible) return;
    let release: () => void = () => undefined;
    const hidden = new Promise<void>((resolve) => (release = resolve));
    // Refused where storage is blocked.
    locks()
      ?.request(lockName, { mode: 'shared' }, () => hidden)
      .catch(() => undefined);
    return () => release();
  }, [isVisible]);
};

/** Whether a tab is in sight; asked by one that is not. */
export const isSeenElsewhere = async (): Promise<boolean> => {
  try {
    const { held } = (await locks()?.query()) ?? {};
    return held?.some(({ name }) => name === lockName) ?? false;
  } catch {
    return false;
  }
};
