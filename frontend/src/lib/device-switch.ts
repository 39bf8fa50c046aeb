import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '@/lib/storage';

/** A setting that this browser remembers, off until it is switched on; every tab follows. */
export const createDeviceSwitch = (storageKey: string) => {
  const listeners = new Set<() => void>();
  const isOn = (): boolean => readStored(storageKey) === 'on';
  const subscribe = (listener: () => void): (() => void) => {
    const onStorage = ({ key }: StorageEvent): void => {
      if (key === storageKey) listener();
    };
    listeners.add(listener);
    window.addEventListener('storage', onStorage);
    return () => {
      listeners.delete(listener);
      window.removeEventListener('storage', onStorage);
    };
  };
  return {
    isOn,
    choose: (on: boolean): void => {
      writeStored(storageKey, on ? 'on' : 'off');
      for (const listener of listeners) listener();
    },
    useIsOn: (): boolean => useSyncExternalStore(subscribe, isOn, () => false),
  };
};
