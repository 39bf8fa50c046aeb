import { normalizeText } from './text.js';
import { formatImageMarkers, listImageUrls, parseImageMarkers } from './image-markers.js';

const cat = '/api/files/chat-images/0b5c9a2e-4f6d-4c1b-9a3e-2d7f8e1c6b5a.jpg';
const dog = '/api/files/chat-images/private-chat/1c6d0b3f-5a7e-4d2c-8b4f-3e809f2d7c6b.webp';
const avatar = '/api/files/avatars/profiles/2d7e1c40-6b8f-4e3d-9c50-4f91a03e8d7c.jpg';
const foreign = 'https://evil.example/pixel.png';

/** Yields all texts that consist of 1 to `maxCount` of the pieces. A piece may occur several times. */
function* generateSequences(pieces: readonly string[], maxCount: number): Generator<string> {
  let sequences = [''];
  for (let count = 1; count <= maxCount; count += 1) {
    sequences = sequences.flatMap((start) => pieces.map((piece) => start + piece));
    yield* sequences;
  }
}

describe('parseImageMarkers', () => {
  it('returns the text and the images below it, in order', () => {
    expect(parseImageMarkers(`look\nat these\n[IMAGE:${cat}]\n[IMAGE:${dog}]`)).toEqual({
      text: 'look\nat these',
      imageUrls: [cat, dog],
    });
  });

  it('is the inverse of formatImageMarkers', () => {
    const contents = [
      { text: 'hi', imageUrls: [cat] },
      { text: 'two\nlines\n', imageUrls: [dog, cat, cat] },
      { text: '', imageUrls: [cat] },
      { text: 'nothing to see', imageUrls: [] },
    ];
    for (const content of contents) expect(parseImageMarkers(formatImageMarkers(content))).toEqual(content);
  });

  it('finds markers that have no text above them', () => {
    expect(parseImageMarkers(`[IMAGE:${cat}]`)).toEqual({ text: '', imageUrls: [cat] });
  });

  it.each([
    ['a marker for another host', `hi\n[IMAGE:${foreign}]`],
    ['a marker for a profile picture', `hi\n[IMAGE:${avatar}]`],
    ['a marker after other text in its line', `hi [IMAGE:${cat}]`],
    ['a marker above text', `[IMAGE:${cat}]\nhi`],
    ['a marker before other text in its line', `hi\n[IMAGE:${cat}] ha`],
    ['a marker in lower case', `hi\n[image:${cat}]`],
    ['a marker for a javascript: URL', `hi\n[IMAGE:javascript:alert(1)]`],
  ])('leaves %s as text', (_, content) => {
    expect(parseImageMarkers(content)).toEqual({ text: content, imageUrls: [] });
  });

  it('ignores white space around a marker', () => {
    expect(parseImageMarkers(`hi\n \t[IMAGE:${cat}] \n\n [IMAGE:${dog}]\u2028\n`)).toEqual({
      text: 'hi',
      imageUrls: [cat, dog],
    });
  });

  it('finds the same images after a message is parsed, normalised and reassembled', () => {
    const pieces = [`[IMAGE:${cat}]`, `[IMAGE:${dog}]`, '\n', ' ', '\u0007', '\u00a0', '\u2028', '\r', 'hi'];
    // Five pieces are enough for two markers with a piece above, between and below them.
    for (const content of generateSequences(pieces, 5)) {
      const { text, imageUrls } = parseImageMarkers(normalizeText(content));
      const reassembled = formatImageMarkers({ text: normalizeText(text), imageUrls });
      const urlsAfterwards = parseImageMarkers(reassembled).imageUrls;
      // Not `expect`, which is slow for about 66,000 contents.
      if (urlsAfterwards.join() !== imageUrls.join())
        throw new Error(`Different images after reassembling ${JSON.stringify(content)}`);
    }
  });

  it('leaves 100,000 unclosed markers as text', () => {
    const content = '[IMAGE:'.repeat(100_000);
    expect(parseImageMarkers(content)).toEqual({ text: content, imageUrls: [] });
  });
});

describe('listImageUrls', () => {
  it('finds no image in a message of type text, even if it is the URL of an image or contains a marker', () => {
    expect(listImageUrls('text', cat)).toEqual([]);
    expect(listImageUrls('text', `hi\n[IMAGE:${cat}]`)).toEqual([]);
  });

  it('returns the content of an image message if it is the URL of a chat image, and otherwise no URL', () => {
    expect(listImageUrls('image', cat)).toEqual([cat]);
    expect(listImageUrls('image', `[IMAGE:${cat}]`)).toEqual([]);
    expect(listImageUrls('image', foreign)).toEqual([]);
    expect(listImageUrls('image', avatar)).toEqual([]);
  });

  it('returns the URLs of the markers of a mixed message', () => {
    expect(listImageUrls('mixed', `hi\n[IMAGE:${cat}]`)).toEqual([cat]);
  });
});
