import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backgrounds } from '@/product/theme';

type Tokens = Map<string, [lightness: number, chroma: number, hue: number]>;

const css = readFileSync(join(__dirname, 'tokens.css'), 'utf8');

/** Reads the colours of the rule with this selector. */
const readTokens = (selector: string): Tokens => {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf('}', start));
  return new Map(
    [...block.matchAll(/--color-([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)].map(([, name, l, c, h]) => [
      name!,
      [Number(l), Number(c), Number(h)],
    ]),
  );
};

/** Converts an OKLCH colour to linear sRGB, possibly outside the gamut, with the matrices of CSS Color 4. */
const toLinearRgb = ([l, c, h]: [number, number, number]): [red: number, green: number, blue: number] => {
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  // Responses of the cones of the eye to long, medium and short waves.
  const [long, medium, short] = [
    l + 0.3963377774 * a + 0.2158037573 * b,
    l - 0.1055613458 * a - 0.0638541728 * b,
    l - 0.0894841775 * a - 1.291485548 * b,
  ].map((value) => value ** 3) as [number, number, number];
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
};

/** Relative luminance (WCAG 2) of a colour clipped to the gamut. */
const computeLuminance = (colour: [number, number, number]): number => {
  const [red, green, blue] = toLinearRgb(colour).map((value) => Math.min(1, Math.max(0, value))) as [
    number,
    number,
    number,
  ];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** Contrast ratio (WCAG 2) of two colours of a theme, from 1 to 21. */
const computeContrast = (tokens: Tokens, one: string, other: string): number => {
  const getLuminance = (name: string): number => {
    const token = tokens.get(name);
    if (!token) throw new Error(`No token ${name}`);
    return computeLuminance(token);
  };
  const [dark, light] = [getLuminance(one), getLuminance(other)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};

// Minimum contrasts of WCAG 2.1, level AA.
const minTextContrast = 4.5;
const minControlContrast = 3;

const surfaces = ['background', 'card', 'popover', 'raised', 'bubble-them'];
const textPairs: [text: string, surface: string][] = [
  ...surfaces.flatMap((surface): [string, string][] => [
    ['foreground', surface],
    ['muted-foreground', surface],
  ]),
  ...['background', 'card', 'popover'].flatMap((surface): [string, string][] => [
    ['primary', surface],
    ['destructive', surface],
    ['success', surface],
    ['warning', surface],
    ['ice', surface],
  ]),
  ['primary-foreground', 'primary'],
  ['bubble-me-foreground', 'bubble-me'],
  ['destructive-foreground', 'destructive-fill'],
  ['foreground', 'ice-surface'],
  ['ice', 'ice-surface'],
];

describe.each([
  ['dark', '@theme'],
  ['light', ":root[data-theme='light']"],
])('the %s theme', (_name, selector) => {
  const tokens = readTokens(selector);

  it.each(textPairs)('the contrast of text %s on %s is at least 4.5:1', (text, surface) => {
    expect(computeContrast(tokens, text, surface)).toBeGreaterThanOrEqual(minTextContrast);
  });

  it.each(['background', 'card', 'popover'])(
    'the contrast of the border of inputs on %s is at least 3:1',
    (surface) => {
      expect(computeContrast(tokens, 'input', surface)).toBeGreaterThanOrEqual(minControlContrast);
    },
  );
});

it('computes the contrast of black on white as 21:1', () => {
  const tokens: Tokens = new Map([
    ['black', [0, 0, 0]],
    ['white', [1, 0, 0]],
  ]);
  expect(computeContrast(tokens, 'black', 'white')).toBeCloseTo(21, 1);
});

/** Encodes an OKLCH colour of the gamut as hexadecimal sRGB. */
const toHex = (colour: [number, number, number]): string => {
  const encoded = toLinearRgb(colour).map((value) =>
    Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055)),
  );
  return `#${encoded.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
};

it("the browser's bars and the manifest have the background colour of the page", () => {
  const frontendRoot = join(__dirname, '../..');
  const dark = toHex(readTokens('@theme').get('background')!);
  const light = toHex(readTokens(":root[data-theme='light']").get('background')!);
  expect(backgrounds).toEqual({ dark, light });
  // `theme.js` runs before the modules of the page, so it contains the colours itself.
  const script = readFileSync(join(frontendRoot, 'public/theme.js'), 'utf8');
  expect(script).toContain(`light ? '${light}' : '${dark}'`);
  expect(readFileSync(join(frontendRoot, 'index.html'), 'utf8')).toContain(
    `name="theme-color" content="${dark}"`,
  );
  const manifest = JSON.parse(readFileSync(join(frontendRoot, 'public/site.webmanifest'), 'utf8')) as object;
  expect(manifest).toMatchObject({ background_color: dark, theme_color: dark });
});
