import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '@/lib/storage';

const storageKey = 'thaw-sound';
const listeners = new Set<() => void>();

/** Whether a sound may call for attention (B14); silent until somebody asks for it. */
export const soundChoice = (): boolean => readStored(storageKey) === 'on';

export const chooseSound = (isOn: boolean): void => {
  writeStored(storageKey, isOn ? 'on' : 'off');
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  const fromAnotherTab = ({ key }: StorageEvent): void => {
    if (key === storageKey) listener();
  };
  listeners.add(listener);
  window.addEventListener('storage', fromAnotherTab);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', fromAnotherTab);
  };
};

export const useSoundChoice = (): boolean => useSyncExternalStore(subscribe, soundChoice, () => false);
