// Uses the real sharp, and a real child process that decodes.
import sharp from 'sharp';
import { createPicture, createPlainJpeg } from '../../../testing/image-corpus.fixture';
import { ImageProcessingService } from './image-processing.service';

jest.setTimeout(60_000);

const countDifferentBits = (one: string, other: string): number =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length;

describe('the difference hash of a picture', () => {
  const images = new ImageProcessingService({});
  afterAll(() => images.onApplicationShutdown());

  const hash = async (bytes: Buffer, bucket: 'chat-images' | 'avatars' = 'chat-images'): Promise<string> =>
    (await images.process(bytes, bucket)).dhash;

  it('has 64 bits, and is the same for a chat image and an avatar', async () => {
    const picture = await createPicture(1);
    const found = await hash(picture);
    expect(found).toMatch(/^[0-9a-f]{16}$/);
    expect(countDifferentBits(found, await hash(picture, 'avatars'))).toBeLessThanOrEqual(1);
  });

  it.each([
    ['another format', (picture: Buffer) => sharp(picture).jpeg({ quality: 90 })],
    ['a poor quality', (picture: Buffer) => sharp(picture).jpeg({ quality: 20 })],
    ['half the size', (picture: Buffer) => sharp(picture).resize(320)],
    ['another ratio', (picture: Buffer) => sharp(picture).resize(500, 500, { fit: 'fill' })],
    ['more light', (picture: Buffer) => sharp(picture).linear(0.8, 40)],
    ['a cut edge', (picture: Buffer) => sharp(picture).extract({ left: 6, top: 4, width: 628, height: 472 })],
  ])('of a copy in %s differs in at most four bits', async (_, copy) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const picture = await createPicture(seed);
      const copied = await copy(picture).toBuffer();
      expect(countDifferentBits(await hash(picture), await hash(copied))).toBeLessThanOrEqual(4);
    }
  });

  it('of 120 different pictures differs in more than four bits', async () => {
    const hashes: string[] = [];
    for (let seed = 100; seed < 220; seed += 1) hashes.push(await hash(await createPicture(seed, 160, 120)));
    const distances = hashes.flatMap((one, index) =>
      hashes.slice(index + 1).map((other) => countDifferentBits(one, other)),
    );
    expect(Math.min(...distances)).toBeGreaterThan(4);
  });

  it('of a plain colour has no bits', async () => {
    const plain = await sharp({ create: { width: 90, height: 80, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    expect(await hash(plain)).toBe('0'.repeat(16));
    expect(await hash(await createPlainJpeg())).toMatch(/^[0-9a-f]{16}$/);
  });
});
