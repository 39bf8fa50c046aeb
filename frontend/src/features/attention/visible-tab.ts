import { useEffect } from 'react';

const lockName = 'thaw-visible';

/** Every visible tab of the chat page holds this lock, shared. Without Web Locks tabs cannot see one another. */
const getLockManager = (): LockManager | undefined => (navigator as { locks?: LockManager }).locks;

/** Shows other tabs whether this one is visible. */
export const useVisibleTabLock = (isVisible: boolean): void => {
  useEffect(() => {
    if (!isVisible) return;
    let release: () => void = () => undefined;
    const untilHidden = new Promise<void>((resolve) => (release = resolve));
    // The request is rejected where the browser blocks storage.
    getLockManager()
      ?.request(lockName, { mode: 'shared' }, () => untilHidden)
      .catch(() => undefined);
    return () => release();
  }, [isVisible]);
};

/** Whether another tab is visible. Called by hidden tabs. */
export const isAnotherTabVisible = async (): Promise<boolean> => {
  try {
    const { held } = (await getLockManager()?.query()) ?? {};
    return held?.some(({ name }) => name === lockName) ?? false;
  } catch {
    return false;
  }
};
