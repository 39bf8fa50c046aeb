'use strict';
// A child process of an api replica that decodes images from outside and encodes them anew, one at a time. It is
// started by decoder-process.ts, knows no secret and no address, and is killed when it takes too long or too much memory.
// Plain JavaScript, so that tests can start it without a build.
const { writeFileSync } = require('node:fs');
const { setPriority } = require('node:os');
const sharp = require('sharp');

// The replica decides when it ends: an interrupt of the whole process group must not fail images that are under way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());

// Frames of sockets go before images.
setPriority(10);
try {
  // When the container runs out of memory, the kernel should end this process and not the replica.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // There is no such file but on Linux.
}

// libvips has loaders for some forty formats, some of which read files, addresses and scripts. Four are enough.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
  ],
});
// No image comes twice.
sharp.cache(false);
sharp.concurrency(1);

/** Nothing of the original but its first picture is left: no EXIF, no place, no comment, nothing behind the end. */
const encodeAnew = async ({ bytes, resize, maxPixels, timeoutS }) => {
  const source = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' });
  const { hasAlpha } = await source.metadata();
  const picture = source.autoOrient().resize(resize).timeout({ seconds: timeoutS });
  const encoded = hasAlpha ? picture.webp({ quality: 82, effort: 3 }) : picture.jpeg({ quality: 82 });
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height, format: hasAlpha ? 'webp' : 'jpeg' };
};

process.on('message', (job) => {
  encodeAnew(job).then(
    (image) => process.send({ image }),
    // Broken, too many pixels, or too much work: libvips tells them apart in prose alone.
    () => process.send({ image: null }),
  );
});
