'use strict';
// A child process of an api replica that decodes untrusted images and re-encodes them, one at a time. It is started by
// image-decoder.client.ts, has no secrets or addresses in its environment, and is killed when it exceeds its time or
// memory limit. Plain JavaScript, so that tests can start it without a build.
const { writeFileSync } = require('node:fs');
const { setPriority } = require('node:os');
const sharp = require('sharp');

// The replica decides when this process ends: an interrupt of the whole process group must not fail images in progress.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

// Socket frames have priority over images.
setPriority(10);
try {
  // When the container runs out of memory, the kernel should kill this process rather than the replica.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // The file exists on Linux only.
}

// libvips has loaders for some forty formats, some of which read files, URLs and scripts. Four are enough.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
  ],
});
// Caching is useless: no image is decoded twice.
sharp.cache(false);
sharp.concurrency(1);

/** Quality of JPEG and lossy WebP, from 1 to 100. */
const QUALITY = 82;
/** CPU effort of the WebP encoder, from 0 (fastest) to 6 (smallest file). */
const WEBP_EFFORT = 3;

/** Keeps only the first frame of the original: no EXIF, location or comments, and no trailing data. */
const reencode = async ({ bytes, resize, maxPixels, timeoutS }) => {
  const source = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' });
  const { hasAlpha } = await source.metadata();
  const picture = source.autoOrient().resize(resize).timeout({ seconds: timeoutS });
  const encoded = hasAlpha
    ? picture.webp({ quality: QUALITY, effort: WEBP_EFFORT })
    : picture.jpeg({ quality: QUALITY });
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height, format: hasAlpha ? 'webp' : 'jpeg' };
};

/**
 * A 64-bit difference hash of 8 rows of 9 grey values: one bit for each two neighbours in a row, set if the left one is
 * brighter. Copies in another size, quality or format have nearly the same hash. An avatar (fit `cover`) is cut to a
 * square, so the original is hashed instead.
 */
const hashPicture = async ({ bytes, resize, maxPixels, timeoutS }, encoded) => {
  const pixels = await sharp(resize.fit === 'cover' ? bytes : encoded, { limitInputPixels: maxPixels })
    .autoOrient()
    .flatten({ background: 'white' })
    .greyscale()
    .resize({ width: 9, height: 8, fit: 'fill', kernel: 'mitchell' })
    .timeout({ seconds: timeoutS })
    .raw()
    .toBuffer();
  let hash = 0n;
  for (let row = 0; row < 8; row += 1) {
    for (let column = 0; column < 8; column += 1) {
      const at = row * 9 + column;
      hash = (hash << 1n) | (pixels[at] > pixels[at + 1] ? 1n : 0n);
    }
  }
  return hash.toString(16).padStart(16, '0');
};

// A message is a `DecoderJob` of image-decoder.client.ts.
process.on('message', (job) => {
  const work = async () => {
    const image = await reencode(job);
    return { ...image, dhash: await hashPicture(job, image.bytes) };
  };
  work().then(
    (image) => process.send({ image }),
    // Corrupt, too many pixels, or too slow: libvips distinguishes these in its message text only.
    () => process.send({ image: null }),
  );
});
