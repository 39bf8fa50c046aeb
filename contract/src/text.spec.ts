import { codePointLength, normalizeText, normalizeUsername, truncateGraphemes } from './text.js';

describe('normalizeText', () => {
  it('removes NUL and other control characters but keeps tab and line feed', () => {
    expect(normalizeText('a\u0000b\u0007\tc\nd')).toBe('ab\tc\nd');
  });

  it('replaces lone surrogates, which PostgreSQL refuses in jsonb', () => {
    expect(normalizeText('x\ud800y')).toBe('x\ufffdy');
  });

  it('folds carriage returns and trims', () => {
    expect(normalizeText('  a\r\nb\rc \n')).toBe('a\nb\nc');
  });
});

describe('normalizeUsername', () => {
  it('keeps one line, composes characters and drops bidirectional controls', () => {
    expect(normalizeUsername(' Jose\u0301\n\u202eeve ')).toBe('José eve');
  });
});

describe('truncateGraphemes', () => {
  it('keeps a text that is short enough', () => {
    expect(truncateGraphemes('a'.repeat(50), 50)).toBe('a'.repeat(50));
  });

  it('cuts after whole graphemes, never inside an emoji', () => {
    expect(truncateGraphemes('👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 2)).toBe('👨‍👩‍👧‍👦👨‍👩‍👧‍👦...');
  });

  it('does not mark a text that has more UTF-16 units but no more graphemes', () => {
    expect(truncateGraphemes('👍🏽'.repeat(50), 50)).toBe('👍🏽'.repeat(50));
  });
});

describe('codePointLength', () => {
  it('counts code points', () => {
    expect(codePointLength('a👍')).toBe(2);
  });
});
