import { limits } from './limits.js';
import { checkContent, checkText, formatQuote } from './message-content.js';

const createImageUrl = (number: number): string =>
  `/api/files/chat-images/01234567-89ab-cdef-0123-${String(number).padStart(12, '0')}.webp`;
/** A text, followed by image markers: lines that stand for images. */
const createMixedContent = (text: string, imageCount: number): string =>
  [text, ...Array.from({ length: imageCount }, (_, index) => `[IMAGE:${createImageUrl(index)}]`)].join('\n');

describe('checkText', () => {
  it('returns the normalised text', () => {
    expect(checkText('  hello\u0000 ')).toEqual({ content: 'hello' });
  });

  it('rejects a text without a visible character', () => {
    const zeroWidthSpace = '\u200b';
    const rightToLeftOverride = '\u202e';
    expect(checkText(`${zeroWidthSpace}${rightToLeftOverride} `)).toEqual({ refusal: 'invalid_payload' });
  });

  it('accepts 2,000 code points, even if each has two UTF-16 code units', () => {
    expect(checkText('👍'.repeat(2_000))).toEqual({ content: '👍'.repeat(2_000) });
  });

  it('rejects more than 2,000 code points', () => {
    expect(checkText('x'.repeat(2_001))).toEqual({ refusal: 'message_too_long' });
  });
});

describe('checkContent', () => {
  it('accepts the largest number of images per message', () => {
    const content = createMixedContent('look', limits.imagesPerMessage);
    expect(checkContent('mixed', content)).toEqual({ content });
  });

  it('rejects a message with more than the largest number of images', () => {
    const content = createMixedContent('look', limits.imagesPerMessage + 1);
    expect(checkContent('mixed', content)).toEqual({ refusal: 'invalid_payload' });
  });

  it('rejects a mixed message whose text has no visible character', () => {
    const wordJoiner = '\u2060';
    expect(checkContent('mixed', createMixedContent(wordJoiner, 1))).toEqual({ refusal: 'invalid_payload' });
  });

  it('rejects an image or mixed message without a chat image, like one with an image of another user', () => {
    expect(checkContent('image', 'hello')).toEqual({ refusal: 'image_not_yours' });
    expect(checkContent('mixed', 'hello')).toEqual({ refusal: 'image_not_yours' });
  });
});

describe('formatQuote', () => {
  it('returns the beginning of a long text, followed by three dots', () => {
    const max = limits.quoteMaxGraphemes;
    expect(formatQuote('text', 'x'.repeat(max + 1))).toBe(`${'x'.repeat(max)}...`);
  });

  it('returns the text of a mixed message without its images', () => {
    expect(formatQuote('mixed', createMixedContent('look', 2))).toBe('look');
  });

  it('returns "Photo" for an image', () => {
    expect(formatQuote('image', createImageUrl(1))).toBe('Photo');
  });

  it('returns an empty quote for a deleted message, whose content is empty', () => {
    expect(formatQuote('image', '')).toBe('');
  });
});
