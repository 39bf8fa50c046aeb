import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { backgrounds } from '@/product/theme';

type Oklch = [lightness: number, chroma: number, hueDegrees: number];
type Rgb = [red: number, green: number, blue: number];
/** Colours by the name of their token, without `--color-`. */
type Tokens = Map<string, Oklch>;

const frontendRoot = join(__dirname, '../..');
const readFrontendFile = (path: string): string => readFileSync(join(frontendRoot, path), 'utf8');

const css = readFrontendFile('src/styles/tokens.css');
const colourDeclaration = /--color-([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g;

/** Reads the colours of the rule with this selector. */
const readTokens = (selector: string): Tokens => {
  const start = css.indexOf(`${selector} {`);
  const rule = css.slice(start, css.indexOf('}', start));
  const tokens: Tokens = new Map();
  for (const [, name, lightness, chroma, hue] of rule.matchAll(colourDeclaration)) {
    tokens.set(name!, [Number(lightness), Number(chroma), Number(hue)]);
  }
  return tokens;
};

const themes = { dark: readTokens('@theme'), light: readTokens(":root[data-theme='light']") };

/** Converts an OKLCH colour to linear sRGB, possibly outside the gamut, with the matrices of CSS Color 4. */
const toLinearRgb = ([lightness, chroma, hueDegrees]: Oklch): Rgb => {
  const a = chroma * Math.cos((hueDegrees * Math.PI) / 180);
  const b = chroma * Math.sin((hueDegrees * Math.PI) / 180);
  // Responses of the cones of the eye to long, medium and short waves.
  const [long, medium, short] = [
    lightness + 0.3963377774 * a + 0.2158037573 * b,
    lightness - 0.1055613458 * a - 0.0638541728 * b,
    lightness - 0.0894841775 * a - 1.291485548 * b,
  ].map((value) => value ** 3) as [number, number, number];
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
};

/** Relative luminance (WCAG 2) of a colour clipped to the gamut. */
const computeLuminance = (colour: Oklch): number => {
  const clipped = toLinearRgb(colour).map((value) => Math.min(1, Math.max(0, value)));
  const [red, green, blue] = clipped as Rgb;
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

/** Encodes an OKLCH colour inside the gamut as hexadecimal sRGB. */
const toHex = (colour: Oklch): string => {
  const encoded = toLinearRgb(colour).map((value) =>
    Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055)),
  );
  return `#${encoded.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
};

// Minimum contrasts of WCAG 2.1, level AA.
const minTextContrast = 4.5;
const minControlContrast = 3;

type TextPair = [text: string, surface: string];

const combine = (texts: string[], surfaces: string[]): TextPair[] =>
  surfaces.flatMap((surface) => texts.map((text): TextPair => [text, surface]));

const baseSurfaces = ['background', 'card', 'popover'];
const textPairs: TextPair[] = [
  ...combine(['foreground', 'muted-foreground'], [...baseSurfaces, 'raised', 'bubble-them']),
  ...combine(['primary', 'destructive', 'success', 'warning', 'ice'], baseSurfaces),
  ['primary-foreground', 'primary'],
  ['bubble-me-foreground', 'bubble-me'],
  ['destructive-foreground', 'destructive-fill'],
  ['foreground', 'ice-surface'],
  ['ice', 'ice-surface'],
];

describe.each(Object.entries(themes))('the %s theme', (_name, tokens) => {
  it.each(textPairs)('the contrast of text %s on %s is at least 4.5:1', (text, surface) => {
    expect(computeContrast(tokens, text, surface)).toBeGreaterThanOrEqual(minTextContrast);
  });

  it.each(baseSurfaces)('the contrast of the border of inputs on %s is at least 3:1', (surface) => {
    expect(computeContrast(tokens, 'input', surface)).toBeGreaterThanOrEqual(minControlContrast);
  });
});

it('computes the contrast of black on white as 21:1', () => {
  const tokens: Tokens = new Map([
    ['black', [0, 0, 0]],
    ['white', [1, 0, 0]],
  ]);
  expect(computeContrast(tokens, 'black', 'white')).toBeCloseTo(21, 1);
});

describe('the background colour of the page', () => {
  const dark = toHex(themes.dark.get('background')!);
  const light = toHex(themes.light.get('background')!);

  it("is the colour of the browser's bars in both themes", () => {
    expect(backgrounds).toEqual({ dark, light });
  });

  it("is the colour of the browser's bars before the modules of the page run", () => {
    expect(readFrontendFile('index.html')).toContain(`name="theme-color" content="${dark}"`);
    expect(readFrontendFile('public/theme.js')).toContain(`isLight ? '${light}' : '${dark}'`);
  });

  it('is, in the dark theme, the colour of the installed app', () => {
    const manifest = JSON.parse(readFrontendFile('public/site.webmanifest')) as object;
    expect(manifest).toMatchObject({ background_color: dark, theme_color: dark });
  });
});
