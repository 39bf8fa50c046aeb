export interface SafeStorage {
  read: (key: string) => string | null;
  /** @returns whether the value was stored. */
  write: (key: string, value: string) => boolean;
  remove: (key: string) => void;
  keys: () => readonly string[];
}

/** A storage that never throws: storage may be full, blocked, or hold invalid text. */
const safe = (storage: () => Storage): SafeStorage => {
  const attempt = <T>(act: () => T, otherwise: T): T => {
    try {
      return act();
    } catch {
      return otherwise;
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
export const browserStorage = safe(() => localStorage);

/** Private to this tab; survives a reload. */
export const tabStorage = safe(() => sessionStorage);
