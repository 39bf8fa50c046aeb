export interface SafeStorage {
  read: (key: string) => string | null;
  /** @returns whether the value was stored. */
  write: (key: string, value: string) => boolean;
  remove: (key: string) => void;
  keys: () => readonly string[];
}

/** Wraps a storage, which may be full or blocked, so that no method throws. */
const createSafeStorage = (storage: () => Storage): SafeStorage => {
  const attempt = <T>(operation: () => T, fallback: T): T => {
    try {
      return operation();
    } catch {
      return fallback;
    }
  };
  return {
    read: (key) => attempt(() => storage().getItem(key), null),
    write: (key, value) =>
      attempt(() => {
        storage().setItem(key, value);
        return true;
      }, false),
    remove: (key) => attempt(() => storage().removeItem(key), undefined),
    keys: () => attempt(() => Object.keys(storage()), []),
  };
};

/** Shared by the tabs of this browser. */
export const browserStorage = createSafeStorage(() => localStorage);

/** Private to this tab; survives a reload. */
export const tabStorage = createSafeStorage(() => sessionStorage);
