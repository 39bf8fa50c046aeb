import { createStoredValue } from '@/lib/stored-value';

export const themeChoices = ['dark', 'light', 'system'] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** The colour of the browser's bars (`theme-color`): `--color-background` of src/styles/tokens.css, as sRGB. */
export const backgrounds = { dark: '#0c0e14', light: '#fbfaf7' };

const matchLightSystemTheme = (): MediaQueryList => matchMedia('(prefers-color-scheme: light)');

/** Dark when nothing is stored. public/theme.js applies the same rule before the first paint. */
const storedTheme = createStoredValue<ThemeChoice>('thaw-theme', {
  parse: (text) => themeChoices.find((choice) => choice === text) ?? 'dark',
  format: String,
  prerenderedValue: 'dark',
});
export const { read: readThemeChoice, write: chooseTheme, useValue: useThemeChoice } = storedTheme;

const applyTheme = (): void => {
  const choice = readThemeChoice();
  const isLight = choice === 'light' || (choice === 'system' && matchLightSystemTheme().matches);
  document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
  // Marks the chosen option of the theme control (src/styles/base.css).
  document.documentElement.dataset.themeChoice = choice;
  const themeColor = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
  if (themeColor) themeColor.content = backgrounds[isLight ? 'light' : 'dark'];
};

/** Applies the theme now, when the system's theme changes, and when a theme is chosen in any tab. */
export const followTheme = (): void => {
  applyTheme();
  matchLightSystemTheme().addEventListener('change', applyTheme);
  storedTheme.subscribe(applyTheme);
};
