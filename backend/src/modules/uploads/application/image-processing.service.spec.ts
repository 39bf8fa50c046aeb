import sharp from 'sharp';
import {
  createAnimatedWebp,
  createGif,
  createGifWithScript,
  createBlackPng,
  createNoisyPng,
  createPhotoWithMetadata,
  createPlainJpeg,
  createPngBomb,
  createPngWithText,
  SCRIPT,
  SECRET,
  hostileSvg,
  createRedAndBlueImage,
  appendTrailingData,
  createFakeZip,
} from '../../../testing/image-corpus.fixture';
import { findDecoderPids, readPeakBytes } from '../../../testing/image-decoder.probe';
import { ImageProcessingService, type ProcessedImage } from './image-processing.service';

jest.setTimeout(60_000);

const processor = new ImageProcessingService();
afterAll(() => processor.onApplicationShutdown());

const processChatImage = (bytes: Buffer): Promise<ProcessedImage> => processor.process(bytes, 'chat-images');

const readPixel = async ({ bytes }: ProcessedImage, left: number, top: number): Promise<number[]> => {
  const { data } = await sharp(bytes)
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [...data];
};

// `createRedAndBlueImage` creates images of 200 × 100 pixels by default, red on the left and blue on the right. The
// checks have a tolerance, because JPEG changes colours slightly.
const isRed = ([red = 0, , blue = 0]: number[]): boolean => red > 150 && blue < 100;
const isBlue = ([red = 0, , blue = 0]: number[]): boolean => blue > 150 && red < 100;

/** Expects that an image has no metadata, a single frame, and none of the texts of the test files. */
const expectOnlyPixels = async ({ bytes }: ProcessedImage): Promise<void> => {
  const metadata = await sharp(bytes).metadata();
  // `pages` is the number of frames, undefined for a single one.
  for (const field of ['exif', 'xmp', 'iptc', 'icc', 'comments', 'orientation', 'pages'] as const)
    expect({ field, value: metadata[field] }).toEqual({ field, value: undefined });
  const text = bytes.toString('latin1');
  for (const word of [SECRET, SCRIPT, 'alert', 'Exif', 'GPS', 'PK\x03\x04', 'xmpmeta']) {
    expect(text).not.toContain(word);
  }
};

const expectJpegOfSize = (image: ProcessedImage, width: number, height: number): void => {
  expect(image).toMatchObject({ width, height, contentType: 'image/jpeg', extension: 'jpg' });
  // The start and end markers of a JPEG, so no data follows the image.
  expect(image.bytes.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
  expect(image.bytes.subarray(-2)).toEqual(Buffer.from([0xff, 0xd9]));
};

const expectWebpOfSize = (image: ProcessedImage, width: number, height: number): void => {
  expect(image).toMatchObject({ width, height, contentType: 'image/webp', extension: 'webp' });
  expect(image.bytes.subarray(0, 4).toString()).toBe('RIFF');
  // No data follows the image. The length in the RIFF header does not count the first 8 bytes of the header.
  expect(image.bytes.readUInt32LE(4) + 8).toBe(image.bytes.length);
};

describe('a processed image', () => {
  it('has no metadata, location or comments, and is upright, when it is made from a photo', async () => {
    const photo = await createPhotoWithMetadata();
    expect(photo.toString('latin1')).toContain(SECRET);
    // Orientation 6: a viewer must rotate the 200 × 100 pixels clockwise, so red moves from the left to the top.
    expect((await sharp(photo).metadata()).orientation).toBe(6);

    const image = await processChatImage(photo);
    expectJpegOfSize(image, 100, 200);
    await expectOnlyPixels(image);
    expect(isRed(await readPixel(image, 50, 20))).toBe(true);
    expect(isBlue(await readPixel(image, 50, 180))).toBe(true);
  });

  it.each([
    [
      'JPEG followed by an HTML page',
      async () => appendTrailingData(await createPlainJpeg(), `<html>${SCRIPT}`),
    ],
    [
      'JPEG followed by a ZIP archive',
      async () => appendTrailingData(await createPlainJpeg(), createFakeZip(SECRET)),
    ],
    ['PNG with a text chunk', async () => createPngWithText()],
    ['PNG followed by a script', async () => appendTrailingData(createBlackPng(20, 20), SCRIPT)],
    ['GIF that is also a script', async () => createGifWithScript()],
    ['GIF followed by a ZIP archive', async () => appendTrailingData(createGif(1), createFakeZip(SECRET))],
    [
      'WebP followed by a script',
      async () => appendTrailingData(await createRedAndBlueImage().webp().toBuffer(), SCRIPT),
    ],
  ])('contains only pixels when it is made from a %s', async (_, create) => {
    await expectOnlyPixels(await processChatImage(await create()));
  });

  it('is a JPEG if the original has no transparency', async () => {
    const png = await createRedAndBlueImage().png().toBuffer();
    const webp = await createRedAndBlueImage().webp({ lossless: true }).toBuffer();
    for (const original of [png, webp]) expectJpegOfSize(await processChatImage(original), 200, 100);
  });

  it('is a WebP if the original has transparency', async () => {
    const png = await createRedAndBlueImage().ensureAlpha(0.5).png().toBuffer();
    const webp = await createRedAndBlueImage().ensureAlpha(0.5).webp().toBuffer();
    for (const original of [png, webp]) expectWebpOfSize(await processChatImage(original), 200, 100);
  });

  it.each([
    ['progressive JPEG', () => createRedAndBlueImage().jpeg({ progressive: true }).toBuffer()],
    ['CMYK JPEG', () => createRedAndBlueImage().toColourspace('cmyk').jpeg().toBuffer()],
    ['gray JPEG', () => createRedAndBlueImage().grayscale().jpeg().toBuffer()],
    ['PNG with 16 bits per channel', () => createRedAndBlueImage().toColourspace('rgb16').png().toBuffer()],
    ['interlaced PNG', () => createRedAndBlueImage().png({ progressive: true }).toBuffer()],
    ['PNG with a palette', () => createRedAndBlueImage().png({ palette: true }).toBuffer()],
  ])('has sRGB colours and 8 bits per channel when it is made from a %s', async (_, create) => {
    const image = await processChatImage(await create());
    expect(image).toMatchObject({ width: 200, height: 100 });
    const { space, depth } = await sharp(image.bytes).metadata();
    expect({ space, depth }).toEqual({ space: 'srgb', depth: 'uchar' }); // uchar: 8 bits
  });

  it('has a single frame when it is made from a GIF of ten thousand frames', async () => {
    const image = await processChatImage(createGif(10_000));
    expect(image).toMatchObject({ width: 1, height: 1 }); // the default of `createGif`
    await expectOnlyPixels(image);
  });

  it('has a single frame when it is made from an animated WebP', async () => {
    const animation = await createAnimatedWebp(20);
    expect((await sharp(animation).metadata()).pages).toBe(20);
    const image = await processChatImage(animation);
    expect(image).toMatchObject({ width: 40, height: 30 }); // the size of one frame
    await expectOnlyPixels(image);
  });

  it('has at most 2048 pixels a side in a chat, and is never enlarged', async () => {
    expectJpegOfSize(await processChatImage(await createPlainJpeg(4_000, 1_000)), 2_048, 512);
    expectJpegOfSize(await processChatImage(await createPlainJpeg(1_000, 4_000)), 512, 2_048);
    expectJpegOfSize(await processChatImage(await createPlainJpeg(2, 2)), 2, 2);
  });

  it('is a square of 512 pixels as an avatar', async () => {
    for (const [width, height] of [
      [1_200, 300],
      [300, 1_200],
      [20, 20],
      [2, 4_000],
    ]) {
      expectJpegOfSize(await processor.process(await createPlainJpeg(width, height), 'avatars'), 512, 512);
    }
  });

  it('may be made from an original of 40 million pixels', async () => {
    const original = createBlackPng(6_400, 6_250); // exactly 40 million pixels
    expectJpegOfSize(await processChatImage(original), 2_048, 2_000);
  });
});

describe('image processing', () => {
  it.each([
    ['a PNG of 40 million pixels and one more row', () => createBlackPng(6_400, 6_251)],
    ['a PNG of 900 megapixels in 110 kB', () => createBlackPng(30_000, 30_000)],
    [
      'a PNG whose header declares the maximum size',
      () => createBlackPng(0x7fffffff, 0x7fffffff, { rows: 0 }),
    ],
    [
      'a PNG of one column whose header declares the maximum height',
      () => createBlackPng(1, 0x7fffffff, { rows: 10 }),
    ],
    ['a GIF with a huge canvas', () => createGif(1, { width: 65_535, height: 65_535 })],
    ['a PNG without pixels', () => createBlackPng(0, 0)],
    ['a PNG that ends early', () => createBlackPng(2_000, 2_000, { rows: 100 })],
    ['half a JPEG', async () => cutInHalf(await createPlainJpeg(800, 600))],
    [
      'half a progressive JPEG',
      async () => cutInHalf(await createRedAndBlueImage(800, 600).jpeg({ progressive: true }).toBuffer()),
    ],
    ['half a PNG', async () => cutInHalf(await createNoisyPng(100))],
    ['half a WebP', async () => cutInHalf(await createRedAndBlueImage(800, 600).webp().toBuffer())],
    ['half a GIF', () => createGif(1).subarray(0, 30)],
    ['the beginning of a JPEG', () => Buffer.from([0xff, 0xd8, 0xff])],
    ['the beginning of a PNG', () => createBlackPng(8, 8).subarray(0, 8)],
    ['the beginning of a GIF', () => Buffer.from('GIF89a')],
    ['the beginning of a WebP', () => Buffer.from('RIFF\0\0\0\0WEBP')],
    ['a script after the signature of a JPEG', () => Buffer.from(`\xff\xd8\xff${SCRIPT}`, 'latin1')],
    [
      'a script that begins with the signature of a GIF',
      () => Buffer.from('GIF89a/*<svg/onload=alert(1)>*/=alert(1)//;'),
    ],
    ['an SVG after the signature of a WebP', () => Buffer.from(`RIFF\0\0\0\0WEBP${hostileSvg}`)],
  ])('refuses %s with the code image_refused', async (_, create) => {
    await expect(processChatImage(await create())).rejects.toMatchObject({ code: 'image_refused' });
  });

  // Beginnings of files. Each character stands for one byte.
  it.each([
    ['an empty file', ''],
    ['one byte', '\xff'],
    ['an SVG', hostileSvg],
    ['an SVG without an XML declaration', hostileSvg.slice(hostileSvg.indexOf('<svg'))],
    ['an HTML page', `<!doctype html>${SCRIPT}`],
    ['a PDF', '%PDF-1.7\n%\xe2\xe3'],
    ['a TIFF', 'II*\0\x08\0\0\0'],
    ['a BigTIFF', 'MM\0+\0\x08\0\0'],
    ['a BMP', 'BM\x46\0\0\0'],
    ['an ICO', '\0\0\x01\0\x01\0'],
    ['an AVIF', '\0\0\0\x20ftypavif\0\0\0\0'],
    ['a HEIC', '\0\0\0\x18ftypheic\0\0\0\0'],
    ['a JPEG XL', '\xff\x0a\0\0'],
    ['a JPEG 2000', '\0\0\0\x0cjP  \r\n\x87\n'],
    ['a PPM', 'P6 1 1 255\n\0\0\0'],
    ['a Radiance picture', '#?RADIANCE\n'],
    ['a Photoshop file', '8BPS\0\x01'],
    ['an MP4', '\0\0\0\x18ftypmp42'],
    ['a ZIP archive', createFakeZip('x')],
    ['an ELF program', '\x7fELF\x02\x01\x01'],
    ['a GIF in base64', Buffer.from('GIF89a').toString('base64')],
    ['a GIF after a space', ' GIF89a'],
    ['a WAV', 'RIFF\0\0\0\0WAVEfmt '],
  ])('refuses %s with the code unsupported_type', async (_, characters) => {
    await expect(processChatImage(Buffer.from(characters, 'latin1'))).rejects.toMatchObject({
      code: 'unsupported_type',
    });
  });

  // A `zTXt` chunk contains compressed text, an `iCCP` chunk a compressed colour profile.
  it.each(['zTXt', 'iCCP'] as const)('does not unpack a %s chunk of a PNG into memory', async (chunkType) => {
    const unpackedMib = 256;
    const bomb = createPngBomb(chunkType, unpackedMib);
    let peakBytes = 0;
    await pollDuring(expectRefusedOrOnlyPixels(bomb, ['image_refused']), 5, () => {
      for (const pid of findDecoderPids()) peakBytes = Math.max(peakBytes, readPeakBytes(pid));
    });
    expect(peakBytes).toBeGreaterThan(0);
    expect(peakBytes).toBeLessThan(unpackedMib * 1024 * 1024);
  });

  it('still processes an image after it has refused twenty', async () => {
    // More refusals than there are decoders: if a refusal did not free its decoder, none would be left.
    await Promise.allSettled(
      Array.from({ length: 20 }, () => processChatImage(Buffer.from([0xff, 0xd8, 0xff]))),
    );
    expectJpegOfSize(await processChatImage(await createPlainJpeg()), 200, 100);
  });

  it('refuses corrupted images or reduces them to pixels', async () => {
    const roundCount = 50;
    const random = createSeededRandom(1_763_640_300); // any fixed seed
    const createSmallImage = () => createRedAndBlueImage(64, 48);
    const originals = [
      await createPhotoWithMetadata(),
      await createSmallImage().jpeg({ progressive: true }).toBuffer(),
      await createSmallImage().ensureAlpha(0.5).png({ progressive: true }).toBuffer(),
      await createSmallImage().png({ palette: true }).toBuffer(),
      await createSmallImage().webp({ lossless: true }).toBuffer(),
      await createSmallImage().ensureAlpha(0.5).gif().toBuffer(),
      await createAnimatedWebp(3),
    ];
    const counts = { accepted: 0, refused: 0 };
    for (let round = 0; round < roundCount; round += 1) {
      for (const original of originals) {
        const corrupted = corruptBytes(original, random);
        const outcome = await expectRefusedOrOnlyPixels(corrupted, ['image_refused', 'unsupported_type']);
        counts[outcome] += 1;
      }
    }
    // Both outcomes must occur often enough for the test to prove something.
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(20);
  });

  it('decodes two images at a time, queues 64 and refuses the rest', async () => {
    const concurrency = 2;
    const maxQueued = 64;
    const refusedCount = 4;
    const image = await createPlainJpeg(1_000, 1_000);
    // A decoder that is replaced after 200 images can still be ending when the next one runs, so none is replaced here.
    const ownProcessor = new ImageProcessingService({ imagesPerProcess: Infinity });
    const otherPids = new Set(findDecoderPids());
    const allSettled = Promise.allSettled(
      Array.from({ length: concurrency + maxQueued + refusedCount }, () =>
        ownProcessor.process(image, 'chat-images'),
      ),
    );
    let maxConcurrent = 0;
    const outcomes = await pollDuring(allSettled, 1, () => {
      const ownPids = findDecoderPids().filter((pid) => !otherPids.has(pid));
      maxConcurrent = Math.max(maxConcurrent, ownPids.length);
    });
    await ownProcessor.onApplicationShutdown();
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(concurrency + maxQueued);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'unavailable' });
    }
    expect(maxConcurrent).toBe(concurrency);
  });
});

const cutInHalf = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);

/** Processes an image and expects one of the two safe outcomes: a refusal, or an image that contains only pixels. */
const expectRefusedOrOnlyPixels = async (
  bytes: Buffer,
  refusalCodes: readonly string[],
): Promise<'refused' | 'accepted'> => {
  let image: ProcessedImage;
  try {
    image = await processChatImage(bytes);
  } catch (error) {
    expect(refusalCodes).toContain((error as { code?: string }).code);
    return 'refused';
  }
  await expectOnlyPixels(image);
  return 'accepted';
};

/** Calls `poll` every `intervalMs` until the operation has settled. */
const pollDuring = async <T>(operation: Promise<T>, intervalMs: number, poll: () => void): Promise<T> => {
  const timer = setInterval(poll, intervalMs);
  try {
    return await operation;
  } finally {
    clearInterval(timer);
  }
};

/** Returns a copy in which 1 to 6 random bytes are overwritten, about half of them near the start. */
const corruptBytes = (original: Buffer, random: (below: number) => number): Buffer => {
  const bytes = Buffer.from(original);
  const maxChanges = 6;
  /** The first bytes of a file contain its format and the size of the image. */
  const headerBytes = 120;
  const changeCount = 1 + random(maxChanges);
  for (let change = 0; change < changeCount; change += 1) {
    const isInHeader = random(2) === 0;
    const position = random(isInHeader ? headerBytes : bytes.length);
    bytes[position] = random(256);
  }
  return bytes;
};

/**
 * A linear congruential generator with the constants of Numerical Recipes. It returns integers from 0 (inclusive) to
 * its argument (exclusive).
 */
const createSeededRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};
