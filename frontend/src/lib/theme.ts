import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '@/lib/storage';

export const themeChoices = ['dark', 'light', 'system'] as const;
export type ThemeChoice = (typeof themeChoices)[number];

const storageKey = 'thaw-theme';
/** The token `--background` of each theme, for the browser's own bars. */
export const backgrounds = { dark: '#0c0e14', light: '#fbfaf7' };
const listeners = new Set<() => void>();

const prefersLight = (): MediaQueryList => matchMedia('(prefers-color-scheme: light)');

/** Dark when nothing is stored (A151). The same rule stands in public/theme.js, which runs before the first paint. */
export const themeChoice = (): ThemeChoice => {
  const stored = readStored(storageKey);
  return themeChoices.find((choice) => choice === stored) ?? 'dark';
};

const apply = (): void => {
  const choice = themeChoice();
  const light = choice === 'light' || (choice === 'system' && prefersLight().matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
  document.documentElement.dataset.themeChoice = choice;
  const bar = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
  if (bar) bar.content = backgrounds[light ? 'light' : 'dark'];
};

export const chooseTheme = (choice: ThemeChoice): void => {
  writeStored(storageKey, choice);
  apply();
  for (const listener of listeners) listener();
};

/** Keeps the page in step with the system's theme and with the choice made in another tab. */
export const followTheme = (): void => {
  apply();
  prefersLight().addEventListener('change', apply);
  window.addEventListener('storage', (event) => {
    if (event.key !== storageKey) return;
    apply();
    for (const listener of listeners) listener();
  });
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, themeChoice, () => 'dark');
