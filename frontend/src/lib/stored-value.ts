import { useSyncExternalStore } from 'react';
import { browserStorage } from '@/lib/storage';

export interface StoredValueOptions<T> {
  /** @param text null when nothing is stored. */
  parse: (text: string | null) => T;
  format: (value: T) => string;
  /** What a page that is rendered at build time shows. */
  prerendered: T;
}

/** A value that this browser keeps under one key. Subscribers of every tab follow each change. */
export const createStoredValue = <T extends string | number | boolean>(
  key: string,
  { parse, format, prerendered }: StoredValueOptions<T>,
) => {
  const listeners = new Set<() => void>();
  const read = (): T => parse(browserStorage.read(key));
  const subscribe = (listener: () => void): (() => void) => {
    const onStorage = (event: StorageEvent): void => {
      if (event.key === key) listener();
    };
    listeners.add(listener);
    window.addEventListener('storage', onStorage);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', onStorage);
    };
  };
  return {
    read,
    write: (value: T): void => {
      browserStorage.write(key, format(value));
      for (const listener of listeners) listener();
    },
    subscribe,
    useValue: (): T => useSyncExternalStore(subscribe, read, () => prerendered),
  };
};

/** A setting that is off until it is switched on. */
export const createStoredSwitch = (key: string) =>
  createStoredValue<boolean>(key, {
    parse: (text) => text === 'on',
    format: (isOn) => (isOn ? 'on' : 'off'),
    prerendered: false,
  });
