export interface SafeStorage {
  read: (key: string) => string | null;
  /** @returns whether the value was stored. */
  write: (key: string, value: string) => boolean;
  remove: (key: string) => void;
  keys: () => readonly string[];
}

/**
 * Wraps a storage, which may be full or blocked, so that no method throws.
 * @param getStorage may throw: a browser that blocks storage throws when `localStorage` is read
 */
const createSafeStorage = (getStorage: () => Storage): SafeStorage => {
  const runOrFallBack = <T>(operation: () => T, fallback: T): T => {
    try {
      return operation();
    } catch {
      return fallback;
    }
  };
  return {
    read: (key) => runOrFallBack(() => getStorage().getItem(key), null),
    write: (key, value) =>
      runOrFallBack(() => {
        getStorage().setItem(key, value);
        return true;
      }, false),
    remove: (key) => runOrFallBack(() => getStorage().removeItem(key), undefined),
    keys: () => runOrFallBack(() => Object.keys(getStorage()), []),
  };
};

/** Shared by the tabs of this browser. */
export const browserStorage = createSafeStorage(() => localStorage);

/** Private to this tab; survives a reload. */
export const tabStorage = createSafeStorage(() => sessionStorage);
