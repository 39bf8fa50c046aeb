import { createStoredValue } from '@/lib/stored-value';

export const themeChoices = ['dark', 'light', 'system'] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** The token `--color-background` of each theme, for the browser's own bars. */
export const backgrounds = { dark: '#0c0e14', light: '#fbfaf7' };

const prefersLight = (): MediaQueryList => matchMedia('(prefers-color-scheme: light)');

/** Dark when nothing is stored (A151). public/theme.js applies the same rule before the first paint. */
const stored = createStoredValue<ThemeChoice>('thaw-theme', {
  parse: (text) => themeChoices.find((choice) => choice === text) ?? 'dark',
  format: String,
  prerendered: 'dark',
});
export const { read: themeChoice, useValue: useThemeChoice } = stored;

const apply = (): void => {
  const choice = themeChoice();
  const light = choice === 'light' || (choice === 'system' && prefersLight().matches);
  document.documentElement.dataset.theme = light ? 'light' : 'dark';
  document.documentElement.dataset.themeChoice = choice;
  const bar = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
  if (bar) bar.content = backgrounds[light ? 'light' : 'dark'];
};

export const chooseTheme = (choice: ThemeChoice): void => {
  stored.write(choice);
  apply();
};

/** Follows changes of the system's theme and choices made in other tabs. */
export const followTheme = (): void => {
  apply();
  prefersLight().addEventListener('change', apply);
  stored.subscribe(apply);
};
