import { Inject, Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import type { UploadBucket } from '@thaw/contract/uploads';
import type { ResizeOptions } from 'sharp';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ImageDecoderPool, type ImageDecoderPoolSettings } from '../infrastructure/image-decoder.pool';
import { detectImageFormat } from './image-format.functions';

export interface ProcessedImage {
  bytes: Buffer<ArrayBuffer>;
  contentType: 'image/jpeg' | 'image/webp';
  extension: 'jpg' | 'webp';
  width: number;
  height: number;
  /** 64-bit difference hash, in hex. */
  dhash: string;
}

/** Source: docs/product-decisions.md, A96. */
const MAX_PIXELS = 40_000_000;
const CHAT_IMAGE_MAX_SIDE_PX = 2_048;
const AVATAR_SIDE_PX = 512;
/**
 * Wall-clock time after which libvips, the image library, stops by itself. The slowest accepted image takes far less,
 * even on a busy machine. `killAfterMs` below is for a decoder that does not stop.
 */
const TIMEOUT_S = 15;

const resizes: Record<UploadBucket, ResizeOptions> = {
  avatars: { width: AVATAR_SIDE_PX, height: AVATAR_SIDE_PX, fit: 'cover' },
  'chat-images': {
    width: CHAT_IMAGE_MAX_SIDE_PX,
    height: CHAT_IMAGE_MAX_SIDE_PX,
    fit: 'inside',
    withoutEnlargement: true,
  },
};

const fileTypes = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  webp: { contentType: 'image/webp', extension: 'webp' },
} as const;

/** Nest needs this token for the parameter `settings`. No module provides it: only tests pass settings. */
const DECODER_POOL_SETTINGS = Symbol('DECODER_POOL_SETTINGS');
/** Source: docs/decisions/0022-images-are-decoded-in-child-processes.md. */
const defaultSettings: ImageDecoderPoolSettings = {
  concurrency: 2,
  maxQueued: 64,
  killAfterMs: 20_000,
  maxResidentBytes: 512 * 1024 * 1024,
  idleMs: 60_000,
  imagesPerProcess: 200,
};

/**
 * Turns untrusted bytes into an image that is safe to serve. Decoding and re-encoding run in a separate process, so
 * that a bug in a decoder affects neither the memory nor the event loop of the replica.
 */
@Injectable()
export class ImageProcessingService implements OnApplicationShutdown {
  private readonly decoders: ImageDecoderPool;

  constructor(@Optional() @Inject(DECODER_POOL_SETTINGS) settings: Partial<ImageDecoderPoolSettings> = {}) {
    this.decoders = new ImageDecoderPool({ ...defaultSettings, ...settings });
  }

  /**
   * Resizes an image for its bucket and re-encodes it.
   * @throws DomainError unsupported_type; image_refused for an image that cannot be decoded within the limits;
   * unavailable when the queue is full or no decoder can be started.
   */
  async process(bytes: Buffer, bucket: UploadBucket): Promise<ProcessedImage> {
    if (detectImageFormat(bytes) === null) throw new DomainError('unsupported_type');
    const image = await this.decoders.decode({
      bytes,
      resize: resizes[bucket],
      maxPixels: MAX_PIXELS,
      timeoutS: TIMEOUT_S,
    });
    if (!image) throw new DomainError('image_refused');
    const { width, height, dhash } = image;
    return {
      // A copy is not in shared memory. The type of `fetch`, which sends it to the classifier, requires that.
      bytes: Buffer.from(image.bytes),
      width,
      height,
      dhash,
      ...fileTypes[image.format],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.decoders.close();
  }
}
