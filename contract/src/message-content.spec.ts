import { limits } from './limits.js';
import { checkContent, checkText, formatQuote } from './message-content.js';

const createImageUrl = (number: number): string =>
  `/api/files/chat-images/01234567-89ab-cdef-0123-${String(number).padStart(12, '0')}.webp`;
const createMixedContent = (text: string, imageCount: number): string =>
  [text, ...Array.from({ length: imageCount }, (_, index) => `[IMAGE:${createImageUrl(index)}]`)].join('\n');

describe('checkText', () => {
  it('returns the normalised text', () => {
    expect(checkText('  hello\u0000 ')).toEqual({ content: 'hello' });
  });

  it('rejects a text without a visible character', () => {
    expect(checkText('\u200b\u202e ')).toEqual({ refusal: 'invalid_payload' });
  });

  it('rejects more than 2,000 code points', () => {
    expect(checkText('👍'.repeat(2_000))).toEqual({ content: '👍'.repeat(2_000) });
    expect(checkText('x'.repeat(2_001))).toEqual({ refusal: 'message_too_long' });
  });
});

describe('checkContent', () => {
  it('accepts the largest number of images per message, and rejects one more', () => {
    expect(checkContent('mixed', createMixedContent('look', limits.imagesPerMessage))).toEqual({
      content: createMixedContent('look', limits.imagesPerMessage),
    });
    expect(checkContent('mixed', createMixedContent('look', limits.imagesPerMessage + 1))).toEqual({
      refusal: 'invalid_payload',
    });
  });

  it('rejects a mixed message whose text has no visible character', () => {
    expect(checkContent('mixed', createMixedContent('\u2060', 1))).toEqual({ refusal: 'invalid_payload' });
  });

  it('rejects an image or mixed message that shows no chat image', () => {
    // The refusal is the same as for an image of another user.
    expect(checkContent('image', 'hello')).toEqual({ refusal: 'image_not_yours' });
    expect(checkContent('mixed', 'hello')).toEqual({ refusal: 'image_not_yours' });
  });
});

describe('formatQuote', () => {
  it('returns the beginning of a text, the text of a mixed message, and "Photo" for an image', () => {
    const max = limits.quoteMaxGraphemes;
    expect(formatQuote('text', 'x'.repeat(max + 1))).toBe(`${'x'.repeat(max)}...`);
    expect(formatQuote('mixed', createMixedContent('look', 2))).toBe('look');
    expect(formatQuote('image', createImageUrl(1))).toBe('Photo');
  });

  it('returns an empty quote for a deleted message, whose content is empty', () => {
    expect(formatQuote('image', '')).toBe('');
  });
});
