import { limits } from './limits.js';
import {
  countCodePoints,
  hasVisibleCharacter,
  normalizeText,
  normalizeUsername,
  truncateGraphemes,
} from './text.js';

describe('normalizeText', () => {
  it('removes NUL and other control characters but keeps tab and line feed', () => {
    expect(normalizeText('a\u0000b\u0007\tc\nd')).toBe('ab\tc\nd');
  });

  it('replaces lone surrogates, which PostgreSQL rejects in jsonb, with U+FFFD', () => {
    expect(normalizeText('x\ud800y')).toBe('x\ufffdy');
  });

  it('converts carriage returns to line feeds and trims', () => {
    expect(normalizeText('  a\r\nb\rc \n')).toBe('a\nb\nc');
  });
});

describe('normalizeUsername', () => {
  it('joins lines, composes characters and removes bidirectional controls', () => {
    expect(normalizeUsername(' Jose\u0301\n\u202eeve ')).toBe('José eve');
  });
});

describe('truncateGraphemes', () => {
  it('returns a text unchanged if it is short enough', () => {
    expect(truncateGraphemes('a'.repeat(50), 50)).toBe('a'.repeat(50));
  });

  it('cuts after whole graphemes, never inside an emoji', () => {
    expect(truncateGraphemes('👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 2)).toBe('👨‍👩‍👧‍👦👨‍👩‍👧‍👦...');
  });

  it('returns a text unchanged if only its UTF-16 code units exceed the limit, not its graphemes', () => {
    expect(truncateGraphemes('👍🏽'.repeat(50), 50)).toBe('👍🏽'.repeat(50));
  });
});

// A text that is cut to n graphemes is also limited to n * `quoteMaxCodePointsPerGrapheme` code points.
describe('truncateGraphemes with graphemes of thousands of code points', () => {
  const giant = `e${'\u0301'.repeat(1_999)}`;

  it('cuts inside a grapheme that alone exceeds the code point limit', () => {
    const maxCodePoints = 60 * limits.quoteMaxCodePointsPerGrapheme;
    const accentCount = maxCodePoints - 1; // the letter is one code point
    expect(truncateGraphemes(giant, 60)).toBe(`e${'\u0301'.repeat(accentCount)}...`);
  });

  it('drops a grapheme that would exceed the code point limit', () => {
    expect(truncateGraphemes(`ab${giant}`, 60)).toBe('ab...');
  });

  it('splits no surrogate pair when it cuts inside a grapheme', () => {
    // Like the emoji, each skin tone is a surrogate pair. All of them belong to the emoji's grapheme.
    const skinTones = '\u{1f3fb}'.repeat(1_000);
    const truncated = truncateGraphemes(`😀${skinTones}`, 2);
    expect(truncated.isWellFormed()).toBe(true);
    const maxCodePoints = 2 * limits.quoteMaxCodePointsPerGrapheme;
    expect(countCodePoints(truncated)).toBe(maxCodePoints + '...'.length);
  });
});

describe('hasVisibleCharacter', () => {
  it.each([
    ['an empty string', ''],
    ['white space', ' \t\n\u3000'],
    ['a zero-width space', '\u200b'],
    ['a word joiner', '\u2060'],
    ['a blank braille pattern', '\u2800'],
    ['a Hangul filler', '\u3164'],
    ['a zero-width joiner', '\u200d'],
    ['a bidirectional override', '\u202e'],
    ['a variation selector', '\ufe0f'],
    ['a tag character', '\u{e0041}'],
  ])('is false for %s', (_, text) => {
    expect(hasVisibleCharacter(text)).toBe(false);
  });

  it.each(['a', '.', '🎉', '❤️', 'ㅋ', '\u200bx', '中', '١'])('is true for %j', (text) => {
    expect(hasVisibleCharacter(text)).toBe(true);
  });
});

describe('countCodePoints', () => {
  it('counts a surrogate pair as one code point', () => {
    expect(countCodePoints('a👍')).toBe(2);
  });
});
