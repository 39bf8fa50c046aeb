import { Injectable } from '@nestjs/common';
import type { UploadBucket } from '@thaw/contract/uploads';
import sharp, { type Sharp } from 'sharp';
import { DomainError } from '../../../platform/errors/domain-error';
import { BoundedTurns } from './bounded-turns';
import { imageFormatOf } from './image-format';

export interface ProcessedImage {
  bytes: Buffer;
  contentType: 'image/jpeg' | 'image/webp';
  extension: 'jpg' | 'webp';
  width: number;
  height: number;
}

const MAX_PIXELS = 40_000_000;
const MAX_SIDE_PX = 2_048;
const AVATAR_SIDE_PX = 512;
/** By the clock on the wall: far longer than the worst that is let in takes, also on a busy machine. */
const WITHIN_S = 15;
const AT_ONCE = 2;
const QUEUE = 64;

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
// No image comes twice, and one thread for each is what the other half of the process can spare.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Makes an image of ours from whatever was sent: decoded and encoded anew, so that nothing of the original but its
 * first picture is left. No EXIF, no place, no comment, nothing behind the end.
 */
@Injectable()
export class ImageProcessor {
  private readonly turns = new BoundedTurns(AT_ONCE, QUEUE);

  /** @throws DomainError unsupported_type, image_refused, unavailable when too many wait already. */
  async process(bytes: Buffer, bucket: UploadBucket): Promise<ProcessedImage> {
    if (imageFormatOf(bytes) === null) throw new DomainError('unsupported_type');
    return this.turns.run(async () => {
      try {
        return await encodeAnew(bytes, bucket);
      } catch {
        // Broken, too many pixels, or too much work: libvips tells them apart in prose alone.
        throw new DomainError('image_refused');
      }
    });
  }
}

const encodeAnew = async (bytes: Buffer, bucket: UploadBucket): Promise<ProcessedImage> => {
  const source = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' });
  const { hasAlpha } = await source.metadata();
  const picture = resized(source.autoOrient(), bucket).timeout({ seconds: WITHIN_S });
  const encoded = hasAlpha ? picture.webp({ quality: 82, effort: 3 }) : picture.jpeg({ quality: 82 });
  const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
  return {
    bytes: data,
    width: info.width,
    height: info.height,
    ...(hasAlpha
      ? { contentType: 'image/webp', extension: 'webp' }
      : { contentType: 'image/jpeg', extension: 'jpg' }),
  };
};

const resized = (image: Sharp, bucket: UploadBucket): Sharp => {
  switch (bucket) {
    case 'avatars':
      return image.resize(AVATAR_SIDE_PX, AVATAR_SIDE_PX, { fit: 'cover' });
    case 'chat-images':
      return image.resize(MAX_SIDE_PX, MAX_SIDE_PX, { fit: 'inside', withoutEnlargement: true });
    default:
      return bucket satisfies never;
  }
};
