import { useEffect } from 'react';

/** Every visible tab of the chat page holds this lock in shared mode. */
const lockName = 'thaw-visible';

/** Undefined in a browser without Web Locks, where no tab knows whether another one is visible. */
const getLockManager = (): LockManager | undefined => (navigator as { locks?: LockManager }).locks;

/** Holds the lock while this tab is visible, so that the other tabs know of it. */
export const useVisibleTabLock = (isVisible: boolean): void => {
  useEffect(() => {
    if (!isVisible) return;
    // The browser holds the lock until this promise resolves.
    let release: () => void = () => undefined;
    const untilHidden = new Promise<void>((resolve) => (release = resolve));
    // The request is rejected where the browser blocks storage.
    getLockManager()
      ?.request(lockName, { mode: 'shared' }, () => untilHidden)
      .catch(() => undefined);
    return () => release();
  }, [isVisible]);
};

/**
 * Whether another tab is visible; false where locks cannot be queried. Only for hidden tabs, because a visible tab
 * would find its own lock.
 */
export const isAnotherTabVisible = async (): Promise<boolean> => {
  try {
    const { held } = (await getLockManager()?.query()) ?? {};
    return held?.some(({ name }) => name === lockName) ?? false;
  } catch {
    return false;
  }
};
