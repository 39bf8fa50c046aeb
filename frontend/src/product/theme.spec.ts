import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backgrounds, chooseTheme, followTheme, readThemeChoice } from '@/product/theme';

/** The script that the page runs before its first paint. It is not a module, so it cannot be imported. */
const themeScript = readFileSync(join(__dirname, '../../public/theme.js'), 'utf8');
const getShownTheme = (): string | undefined => document.documentElement.dataset.theme;

let systemPrefersLight = false;
beforeEach(() => {
  localStorage.clear();
  document.documentElement.dataset.theme = '';
  window.matchMedia = ((query: string) => ({
    matches: systemPrefersLight && query.includes('light'),
    addEventListener: () => undefined,
  })) as unknown as typeof window.matchMedia;
});

describe.each([
  // The system's theme has an effect only while 'system' is stored.
  { stored: null, system: 'dark', shown: 'dark' },
  { stored: null, system: 'light', shown: 'dark' },
  { stored: 'dark', system: 'light', shown: 'dark' },
  { stored: 'light', system: 'dark', shown: 'light' },
  { stored: 'system', system: 'light', shown: 'light' },
  { stored: 'system', system: 'dark', shown: 'dark' },
  { stored: 'an unknown theme', system: 'light', shown: 'dark' },
])('with $stored stored and a $system system theme', ({ stored, system, shown }) => {
  beforeEach(() => {
    systemPrefersLight = system === 'light';
    if (stored) localStorage.setItem('thaw-theme', stored);
  });

  it(`public/theme.js shows the ${shown} theme before the first paint`, () => {
    window.eval(themeScript);
    expect(getShownTheme()).toBe(shown);
  });

  it(`followTheme shows the ${shown} theme when the application starts`, () => {
    followTheme();
    expect(getShownTheme()).toBe(shown);
  });
});

describe("the colour of the browser's bars", () => {
  const getBarColor = () => document.querySelector<HTMLMetaElement>('meta[name="theme-color"]')?.content;

  beforeEach(() => {
    document.head.innerHTML = '<meta name="theme-color" content="" />';
  });

  it('is set by public/theme.js', () => {
    localStorage.setItem('thaw-theme', 'light');
    window.eval(themeScript);
    expect(getBarColor()).toBe(backgrounds.light);
  });

  it('changes with the theme that the user chooses', () => {
    followTheme();
    chooseTheme('light');
    expect(getBarColor()).toBe(backgrounds.light);
    chooseTheme('dark');
    expect(getBarColor()).toBe(backgrounds.dark);
  });
});

it('chooseTheme stores the theme, and followTheme shows it immediately', () => {
  followTheme();
  chooseTheme('light');
  expect(getShownTheme()).toBe('light');
  expect(readThemeChoice()).toBe('light');
  chooseTheme('dark');
  expect(getShownTheme()).toBe('dark');
});
