import { ConcurrencyLimiter } from '../../../platform/concurrency/concurrency.limiter';
import {
  type DecodedImage,
  type DecoderJob,
  type DecoderLimits,
  ImageDecoderClient,
} from './image-decoder.client';

export interface ImageDecoderPoolSettings extends DecoderLimits {
  /** Images decoded concurrently, each in a separate process. */
  concurrency: number;
  /** Maximum number of queued images. */
  maxQueued: number;
  /** Milliseconds after which an idle decoder is killed. */
  idleMs: number;
  /** Images after which a decoder is replaced, which releases memory that libvips leaks or fragments. */
  imagesPerProcess: number;
}

/** Decoder processes, which are started on demand and killed when idle. Each decodes one image at a time. */
export class ImageDecoderPool {
  private readonly limiter: ConcurrencyLimiter;
  private readonly decoders = new Set<ImageDecoderClient>();
  /** `imageCount`: images that the decoder has processed. */
  private readonly idle: { decoder: ImageDecoderClient; imageCount: number; timer: NodeJS.Timeout }[] = [];

  constructor(private readonly settings: ImageDecoderPoolSettings) {
    this.limiter = new ConcurrencyLimiter(settings.concurrency, settings.maxQueued);
  }

  /**
   * @returns null for an image that cannot be decoded within the limits.
   * @throws DomainError unavailable when the queue is full or a decoder cannot be started.
   */
  decode(job: DecoderJob): Promise<DecodedImage | null> {
    return this.limiter.run(async () => {
      const { decoder, imageCount } = this.takeIdleOrStart();
      // Throws only if the process could not be started, so there is nothing to kill.
      const image = await decoder.decode(job);
      const newImageCount = imageCount + 1;
      if (newImageCount >= this.settings.imagesPerProcess) decoder.kill();
      else if (!decoder.hasEnded) this.returnToPool(decoder, newImageCount);
      return image;
    });
  }

  /** Kills all decoders, even if they are decoding, and waits until they have ended. */
  async close(): Promise<void> {
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    for (const decoder of this.decoders) decoder.kill();
    await Promise.all([...this.decoders].map(({ ended }) => ended));
  }

  private takeIdleOrStart(): { decoder: ImageDecoderClient; imageCount: number } {
    for (let entry = this.idle.pop(); entry; entry = this.idle.pop()) {
      clearTimeout(entry.timer);
      // An idle decoder may have been killed from outside, for instance by the kernel.
      if (!entry.decoder.hasEnded) return entry;
    }
    const decoder = new ImageDecoderClient(this.settings);
    this.decoders.add(decoder);
    void decoder.ended.then(() => this.decoders.delete(decoder));
    return { decoder, imageCount: 0 };
  }

  private returnToPool(decoder: ImageDecoderClient, imageCount: number): void {
    const timer = setTimeout(() => {
      this.idle.splice(
        this.idle.findIndex((entry) => entry.decoder === decoder),
        1,
      );
      decoder.kill();
    }, this.settings.idleMs);
    timer.unref(); // an idle decoder does not keep the replica alive
    this.idle.push({ decoder, imageCount, timer });
  }
}
