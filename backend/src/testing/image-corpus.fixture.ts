import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** Hidden wherever an image can carry metadata; it must not survive processing. */
export const SECRET = 'meet me at 38.7223 N';
export const SCRIPT = '<script>alert(document.domain)</script>';

/** Red on the left, blue on the right. */
export const createTwoHalves = (width = 200, height = 100) => {
  const row = Buffer.alloc(width * 3);
  for (let x = 0; x < width; x += 1) row.set(x < width / 2 ? [220, 20, 20] : [20, 20, 220], 3 * x);
  return sharp(Buffer.concat(Array<Buffer>(height).fill(row)), { raw: { width, height, channels: 3 } });
};

export const createPlainJpeg = (width?: number, height?: number): Promise<Buffer> =>
  createTwoHalves(width, height).jpeg().toBuffer();

/** Incompressible, so that the file size can be chosen. */
export const createNoisyPng = (side: number): Promise<Buffer> => {
  let state = 1;
  const pixels = Buffer.alloc(side * side * 3);
  for (let index = 0; index < pixels.length; index += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    pixels[index] = state >>> 24;
  }
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
};

/** A typical phone photo: rotated by an orientation tag, with location, owner, XMP and a comment. */
export const createPhotoWithMetadata = async (): Promise<Buffer> => {
  const jpeg = await createTwoHalves()
    .withExif({
      IFD0: { Artist: SECRET, Copyright: SECRET, Model: SECRET },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '38/1 43/1 2028/100', GPSMapDatum: SECRET },
    })
    .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/">${SECRET}</x:xmpmeta>`)
    .withIccProfile('p3')
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const comment = Buffer.from(`${SECRET} ${SCRIPT}`);
  const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, comment.length + 2]), comment]);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
};

const createPngChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
};

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** A black PNG with one bit per pixel, whose header declares its actual size or a larger one. */
export const createHugePng = (
  width: number,
  height: number,
  { rows = height, extra = [] as readonly Buffer[] } = {},
): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const pixels = deflateSync(Buffer.alloc(rows * (1 + Math.ceil(width / 8))), { level: 9 });
  return Buffer.concat([
    signature,
    createPngChunk('IHDR', header),
    ...extra,
    createPngChunk('IDAT', pixels),
    createPngChunk('IEND', Buffer.alloc(0)),
  ]);
};

/** A small PNG whose compressed text or colour profile unpacks to `megabytes` of zeros. */
export const createPngBomb = (type: 'zTXt' | 'iCCP', megabytes: number): Buffer => {
  const packed = deflateSync(Buffer.alloc(megabytes * 1024 * 1024), { level: 9 });
  return createHugePng(8, 8, {
    extra: [createPngChunk(type, Buffer.concat([Buffer.from('name\0\0', 'latin1'), packed]))],
  });
};

export const createPngWithText = (): Buffer =>
  createHugePng(8, 8, {
    extra: [createPngChunk('tEXt', Buffer.from(`Comment\0${SECRET} ${SCRIPT}`, 'latin1'))],
  });

const createGifFrame = (width: number, height: number): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  return Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, 0, 1, 0, 0, 0]), // 1/100 s delay
    Buffer.from([0x2c, 0, 0, 0, 0]), // at the top left corner
    size,
    Buffer.from([0, 2, 2, 0x44, 1, 0]), // first pixel, colour 0
  ]);
};

/** Repeats one frame, which draws a single pixel. */
export const createGif = (
  frames: number,
  { width = 1, height = 1, before }: { width?: number; height?: number; before?: Buffer } = {},
): Buffer => {
  const canvas = Buffer.alloc(4);
  canvas.writeUInt16LE(width, 0);
  canvas.writeUInt16LE(height, 2);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    canvas,
    Buffer.from([0x80, 0, 0, 255, 0, 0, 0, 0, 255]), // two colours
    ...(before ? [before] : []),
    ...Array<Buffer>(frames).fill(createGifFrame(width, height)),
    Buffer.from([0x3b]),
  ]);
};

const createGifComment = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), Buffer.from(text), Buffer.from([0])]);

/** A polyglot that is also a script: its width reads as the start of a comment. */
export const createGifWithScript = (): Buffer =>
  createGif(1, {
    width: 0x2a2f,
    height: 16,
    before: createGifComment(`*/=1;alert(document.domain);/*${SECRET}*/`),
  });

/** Appends a file after the end of the image. */
export const appendTrailingData = (image: Buffer, trailing: string): Buffer =>
  Buffer.concat([image, Buffer.from(trailing, 'latin1')]);

export const createZip = (text: string): string =>
  `PK\x03\x04\x14\0\0\0\0\0${'\0'.repeat(20)}a.html${text}PK\x05\x06`;

/** Each frame has a different shade of gray. */
export const createAnimatedWebp = (frames: number): Promise<Buffer> => {
  const pixels = Buffer.concat(
    Array.from({ length: frames }, (_, index) => Buffer.alloc(40 * 30 * 3, 10 * index)),
  );
  return sharp(pixels, { raw: { width: 40, height: 30 * frames, channels: 3, pageHeight: 30 } })
    .webp()
    .toBuffer();
};

export const svg = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY passwd SYSTEM "file:///etc/passwd">]>
<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="alert(1)"><text>&passwd;</text>
<image href="http://169.254.169.254/latest/meta-data/"/></svg>`;

/** A generator of numbers from 0 to 1, the same for the same seed. */
const createRandom = (seed: number) => {
  let state = seed * 2_654_435_761 + 1;
  return (): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

/** A picture with soft shapes, like a blurred photo; another one for each seed. */
export const createPicture = (seed: number, width = 640, height = 480): Promise<Buffer> => {
  const random = createRandom(seed);
  const pixels = Buffer.from(Array.from({ length: 12 * 9 * 3 }, () => Math.floor(random() * 256)));
  return sharp(pixels, { raw: { width: 12, height: 9, channels: 3 } })
    .resize(width, height, { kernel: 'cubic' })
    .png()
    .toBuffer();
};
