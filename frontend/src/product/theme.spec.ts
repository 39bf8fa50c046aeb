import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backgrounds, chooseTheme, followTheme, themeChoice } from '@/product/theme';

const beforeFirstPaint = readFileSync(join(__dirname, '../../public/theme.js'), 'utf8');
const theme = (): string | undefined => document.documentElement.dataset.theme;

let prefersLight = false;
beforeEach(() => {
  localStorage.clear();
  window.matchMedia = ((query: string) => ({
    matches: prefersLight && query.includes('light'),
    addEventListener: () => undefined,
  })) as unknown as typeof window.matchMedia;
});

it.each([
  [null, false, 'dark'],
  [null, true, 'dark'],
  ['dark', true, 'dark'],
  ['light', false, 'light'],
  ['system', true, 'light'],
  ['system', false, 'dark'],
  ['purple', true, 'dark'],
])(
  'resolves stored theme %s (system prefers light: %s) to %s, before and after the application has started',
  (stored, light, expected) => {
    prefersLight = light;
    if (stored) localStorage.setItem('thaw-theme', stored);
    window.eval(beforeFirstPaint);
    expect(theme()).toBe(expected);
    document.documentElement.dataset.theme = '';
    followTheme();
    expect(theme()).toBe(expected);
  },
);

it("sets the colour of the browser's bars before and after the application has started", () => {
  document.head.innerHTML = '<meta name="theme-color" content="" />';
  const bar = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]')!;
  localStorage.setItem('thaw-theme', 'light');
  window.eval(beforeFirstPaint);
  expect(bar.content).toBe(backgrounds.light);
  chooseTheme('dark');
  expect(bar.content).toBe(backgrounds.dark);
});

it('stores and applies a choice', () => {
  chooseTheme('light');
  expect(theme()).toBe('light');
  expect(themeChoice()).toBe('light');
  chooseTheme('dark');
  expect(theme()).toBe('dark');
});
