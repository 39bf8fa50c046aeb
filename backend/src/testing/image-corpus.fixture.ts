import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Text in the metadata of images. It must not survive processing. */
export const SECRET = 'meet me at 38.7223 N';
/** A script in the metadata of images. It must not survive processing either. */
export const SCRIPT = '<script>alert(document.domain)</script>';

/** Creates an image that is red on the left and blue on the right; the caller chooses its format. */
export const createRedAndBlueImage = (width = 200, height = 100) => {
  const row = Buffer.alloc(width * 3);
  for (let x = 0; x < width; x += 1) row.set(x < width / 2 ? [220, 20, 20] : [20, 20, 220], 3 * x);
  return sharp(Buffer.concat(Array<Buffer>(height).fill(row)), { raw: { width, height, channels: 3 } });
};

export const createPlainJpeg = (width?: number, height?: number): Promise<Buffer> =>
  createRedAndBlueImage(width, height).jpeg().toBuffer();

/** A square PNG of pseudo-random pixels. It cannot be compressed, so its file size follows from `side`. */
export const createNoisyPng = (side: number): Promise<Buffer> => {
  let state = 1;
  const pixels = Buffer.alloc(side * side * 3);
  for (let index = 0; index < pixels.length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0; // a linear congruential generator
    pixels[index] = state >>> 24;
  }
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
};

/** A typical phone photo: rotated by an orientation tag, with location, owner, XMP and a comment. */
export const createPhotoWithMetadata = async (): Promise<Buffer> => {
  const jpeg = await createRedAndBlueImage()
    .withExif({
      IFD0: { Artist: SECRET, Copyright: SECRET, Model: SECRET },
      // IFD3 is the block of location data.
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '38/1 43/1 2028/100', GPSMapDatum: SECRET },
    })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`)
    .withIccProfile('p3')
    .withMetadata({ orientation: 6 }) // shown rotated by 90 degrees
    .jpeg()
    .toBuffer();
  const comment = Buffer.from(`${SECRET} ${SCRIPT}`);
  // A comment segment begins with its marker and its length, which includes the two bytes of the length.
  const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, comment.length + 2]), comment]);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]); // after the start-of-image marker
};

const createPngChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
};

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/**
 * A black PNG with one bit per pixel, which is small even if the image is huge.
 * @param rows number of rows that the file contains; fewer than `height` for a header that declares too many.
 * @param extraChunks chunks between the header and the pixels.
 */
export const createBlackPng = (
  width: number,
  height: number,
  { rows = height, extraChunks = [] as readonly Buffer[] } = {},
): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8); // bit depth 1, grayscale, default compression and filter, not interlaced
  // Each row begins with a byte for its filter.
  const pixels = deflateSync(Buffer.alloc(rows * (1 + Math.ceil(width / 8))), { level: 9 });
  return Buffer.concat([
    PNG_SIGNATURE,
    createPngChunk('IHDR', header),
    ...extraChunks,
    createPngChunk('IDAT', pixels),
    createPngChunk('IEND', Buffer.alloc(0)),
  ]);
};

/** A small PNG whose compressed text or colour profile unpacks to `megabytes` of zeros. */
export const createPngBomb = (type: 'zTXt' | 'iCCP', megabytes: number): Buffer => {
  const packed = deflateSync(Buffer.alloc(megabytes * 1024 * 1024), { level: 9 });
  return createBlackPng(8, 8, {
    // A name, its end, and the compression method 0.
    extraChunks: [createPngChunk(type, Buffer.concat([Buffer.from('name\0\0', 'latin1'), packed]))],
  });
};

export const createPngWithText = (): Buffer =>
  createBlackPng(8, 8, {
    extraChunks: [createPngChunk('tEXt', Buffer.from(`Comment\0${SECRET} ${SCRIPT}`, 'latin1'))],
  });

const createGifFrame = (width: number, height: number): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  return Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0]), // graphic control extension: shown for 1/100 s
    Buffer.from([0x2c, 0, 0, 0, 0]), // image descriptor, at the top left corner
    size,
    Buffer.from([0, 2, 2, 0x44, 1, 0]), // image data: a single pixel of colour 0
  ]);
};

/** A GIF of equal frames, each of which draws a single pixel. @param comment a block before the frames */
export const createGif = (
  frames: number,
  { width = 1, height = 1, comment }: { width?: number; height?: number; comment?: Buffer } = {},
): Buffer => {
  const canvas = Buffer.alloc(4);
  canvas.writeUInt16LE(width, 0);
  canvas.writeUInt16LE(height, 2);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    canvas,
    Buffer.from([0x80, 0, 0, 255, 0, 0, 0, 0, 255]), // flags, and a palette of two colours: red and blue
    ...(comment ? [comment] : []),
    ...Array<Buffer>(frames).fill(createGifFrame(width, height)),
    Buffer.from([0x3b]), // end of the file
  ]);
};

const createGifComment = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), Buffer.from(text), Buffer.from([0])]);

/** A GIF that is also a valid script: the bytes of its width are the start of a comment. */
export const createGifWithScript = (): Buffer =>
  createGif(1, {
    width: 0x2a2f, // the bytes "/*", since GIF is little-endian
    height: 16,
    comment: createGifComment(`*/=1;alert(document.domain);/*${SECRET}*/`),
  });

/** Appends other content after the end of the image. */
export const appendTrailingData = (image: Buffer, trailing: string): Buffer =>
  Buffer.concat([image, Buffer.from(trailing, 'latin1')]);

/** Not a complete ZIP archive, but it begins and ends with the signatures of one, which a lenient reader accepts. */
export const createFakeZip = (text: string): string =>
  `PK\x03\x04\x14\0\0\0\0\0${'\0'.repeat(20)}a.html${text}PK\x05\x06`;

/** An animated WebP. Each frame has a different shade of gray. */
export const createAnimatedWebp = (frames: number): Promise<Buffer> => {
  const [width, height] = [40, 30];
  const pixels = Buffer.concat(
    Array.from({ length: frames }, (_, index) => Buffer.alloc(width * height * 3, 10 * index)),
  );
  return sharp(pixels, { raw: { width, height: height * frames, channels: 3, pageHeight: height } })
    .webp()
    .toBuffer();
};

/** An SVG that runs a script, and that refers to a local file and to the metadata service of a cloud. */
export const hostileSvg = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY passwd SYSTEM "file:///etc/passwd">]>
<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="alert(1)"><text>&passwd;</text>
<image href="http://169.254.169.254/latest/meta-data/"/></svg>`;

/** A generator of pseudo-random numbers from 0 to 1, the same ones for the same seed. Its constants have no meaning. */
const createRandom = (seed: number) => {
  let state = seed * 2_654_435_761 + 1;
  return (): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** A PNG with soft shapes, like a blurred photo: 12 × 9 random pixels, enlarged. Each seed gives another picture. */
export const createPicture = (seed: number, width = 640, height = 480): Promise<Buffer> => {
  const random = createRandom(seed);
  const [columns, rows] = [12, 9];
  const pixels = Buffer.from(Array.from({ length: columns * rows * 3 }, () => Math.floor(random() * 256)));
  return sharp(pixels, { raw: { width: columns, height: rows, channels: 3 } })
    .resize(width, height, { kernel: 'cubic' })
    .png()
    .toBuffer();
};
