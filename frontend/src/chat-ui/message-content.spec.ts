import { parseContent, describeMessage, quoteInComposer, quoteInMessage } from '@/chat-ui/message-content';
import { aMessage } from '@/testing/factories';

const url = '/api/files/chat-images/0b0f3f2a-5a86-4a61-9a0e-6a4b8c1d2e3f.webp';

describe('parseContent', () => {
  it('returns a single image', () => {
    expect(parseContent({ type: 'image', content: url })).toEqual({ text: '', imageUrls: [url] });
  });

  it('returns the text and the images of the marker lines below it', () => {
    expect(parseContent({ type: 'mixed', content: `hi\nthere\n[IMAGE:${url}]\n[IMAGE:${url}]` })).toEqual({
      text: 'hi\nthere',
      imageUrls: [url, url],
    });
  });

  it('ignores markers typed by a user, and images from other origins', () => {
    expect(parseContent({ type: 'text', content: `[IMAGE:${url}]` }).imageUrls).toEqual([]);
    expect(
      parseContent({ type: 'mixed', content: 'x\n[IMAGE:https://example.com/x.png]' }).imageUrls,
    ).toEqual([]);
  });
});

// The lengths are those of docs/product-decisions.md, A109.
describe('quotes', () => {
  it("are truncated after 50 graphemes inside a message and after 60 in the composer, with '...'", () => {
    expect(quoteInMessage('x'.repeat(50))).toBe('x'.repeat(50));
    expect(quoteInMessage('x'.repeat(51))).toBe(`${'x'.repeat(50)}...`);
    expect(quoteInMessage('👨‍👩‍👧'.repeat(51))).toBe(`${'👨‍👩‍👧'.repeat(50)}...`);
    expect(quoteInComposer(aMessage({ content: '🇵🇱'.repeat(60) }))).toBe('🇵🇱'.repeat(60));
    expect(quoteInComposer(aMessage({ content: '🇵🇱'.repeat(61) }))).toBe(`${'🇵🇱'.repeat(60)}...`);
  });

  it("show an image as 'Photo', and a message of text and images as its text", () => {
    expect(quoteInComposer(aMessage({ type: 'image', content: url }))).toBe('Photo');
    expect(describeMessage({ type: 'mixed', content: `look\n[IMAGE:${url}]` })).toBe('look');
  });
});
