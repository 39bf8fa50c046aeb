import { useSyncExternalStore } from 'react';
import { browserStorage } from '@/lib/storage';

export interface StoredValueOptions<T> {
  /** @param text the stored text; null when nothing is stored. */
  parse: (text: string | null) => T;
  format: (value: T) => string;
  /** Value used when a page is rendered at build time. */
  prerenderedValue: T;
}

/**
 * A value stored in this browser under one key. Subscribers in every tab are notified of each `write`. The value must
 * be primitive, because `useValue` compares values by identity.
 */
export const createStoredValue = <T extends string | number | boolean>(
  key: string,
  { parse, format, prerenderedValue }: StoredValueOptions<T>,
) => {
  const listeners = new Set<() => void>();
  const read = (): T => parse(browserStorage.read(key));
  const subscribe = (listener: () => void): (() => void) => {
    const handleStorage = (event: StorageEvent): void => {
      if (event.key === key) listener();
    };
    listeners.add(listener);
    window.addEventListener('storage', handleStorage);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', handleStorage);
    };
  };
  return {
    read,
    write: (value: T): void => {
      browserStorage.write(key, format(value));
      for (const listener of listeners) listener();
    },
    subscribe,
    useValue: (): T => useSyncExternalStore(subscribe, read, () => prerenderedValue),
  };
};

/** A stored boolean. */
export const createStoredSwitch = (key: string, { isOnByDefault = false } = {}) =>
  createStoredValue<boolean>(key, {
    parse: (text) => (text === null ? isOnByDefault : text === 'on'),
    format: (isOn) => (isOn ? 'on' : 'off'),
    prerenderedValue: isOnByDefault,
  });
