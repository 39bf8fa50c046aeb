// Uses a real child process that decodes images.
// The difference hash finds near copies of blocked images:
// docs/decisions/0067-near-copies-are-found-by-a-difference-hash.md.
import sharp from 'sharp';
import { createPicture, createPlainJpeg } from '../../../testing/image-corpus.fixture';
import { ImageProcessingService } from './image-processing.service';

jest.setTimeout(60_000);

/** Pictures whose hashes differ in at most this number of bits count as copies. */
const MAX_DIFFERENT_BITS = 4;

const countDifferentBits = (one: string, other: string): number =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length;

describe('the difference hash of a picture', () => {
  const processor = new ImageProcessingService();
  afterAll(() => processor.onApplicationShutdown());

  const hash = async (bytes: Buffer, bucket: 'chat-images' | 'avatars' = 'chat-images'): Promise<string> =>
    (await processor.process(bytes, bucket)).dhash;

  it('has 64 bits in hex', async () => {
    expect(await hash(await createPicture(1))).toMatch(/^[0-9a-f]{16}$/);
    expect(await hash(await createPlainJpeg())).toMatch(/^[0-9a-f]{16}$/);
  });

  it('differs in at most one bit between a chat image and an avatar of the same picture', async () => {
    const picture = await createPicture(1);
    expect(countDifferentBits(await hash(picture), await hash(picture, 'avatars'))).toBeLessThanOrEqual(1);
  });

  it.each([
    ['another format', (picture: Buffer) => sharp(picture).jpeg({ quality: 90 })],
    ['poor quality', (picture: Buffer) => sharp(picture).jpeg({ quality: 20 })],
    ['half the size', (picture: Buffer) => sharp(picture).resize(320)],
    ['another aspect ratio', (picture: Buffer) => sharp(picture).resize(500, 500, { fit: 'fill' })],
    ['more brightness', (picture: Buffer) => sharp(picture).linear(0.8, 40)],
    // The pictures have 640 × 480 pixels.
    [
      'its edges cut off',
      (picture: Buffer) => sharp(picture).extract({ left: 6, top: 4, width: 628, height: 472 }),
    ],
  ])('differs in at most four bits from the hash of a copy with %s', async (_, copy) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const picture = await createPicture(seed);
      const copied = await copy(picture).toBuffer();
      expect(countDifferentBits(await hash(picture), await hash(copied))).toBeLessThanOrEqual(
        MAX_DIFFERENT_BITS,
      );
    }
  });

  it('differs in more than four bits between any two of 120 pictures', async () => {
    const hashes: string[] = [];
    for (let seed = 100; seed < 220; seed += 1) hashes.push(await hash(await createPicture(seed, 160, 120)));
    const distances = hashes.flatMap((one, index) =>
      hashes.slice(index + 1).map((other) => countDifferentBits(one, other)),
    );
    expect(Math.min(...distances)).toBeGreaterThan(MAX_DIFFERENT_BITS);
  });

  it('has no set bits for a plain colour', async () => {
    const plain = await sharp({ create: { width: 90, height: 80, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    expect(await hash(plain)).toBe('0'.repeat(16));
  });
});
