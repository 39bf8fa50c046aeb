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

interface PooledDecoder {
  decoder: ImageDecoderClient;
  /** Images that the decoder has processed. */
  imageCount: number;
}

interface IdleDecoder extends PooledDecoder {
  /** Kills the decoder at the end of its idle time. */
  timer: NodeJS.Timeout;
}

/** Decoder processes, which are started on demand and killed when idle. Each decodes one image at a time. */
export class ImageDecoderPool {
  private readonly limiter: ConcurrencyLimiter;
  private readonly decoders = new Set<ImageDecoderClient>();
  private readonly idle: IdleDecoder[] = [];

  constructor(private readonly settings: ImageDecoderPoolSettings) {
    this.limiter = new ConcurrencyLimiter(settings.concurrency, settings.maxQueued);
  }

  /**
   * @returns null for an image that cannot be decoded within the limits.
   * @throws DomainError unavailable when the queue is full or a decoder cannot be started.
   */
  decode(job: DecoderJob): Promise<DecodedImage | null> {
    return this.limiter.run(async () => {
      const { decoder, imageCount } = this.takeIdle() ?? this.start();
      // Throws only if the process could not be started, so there is nothing to kill.
      const image = await decoder.decode(job);
      this.returnOrKill({ decoder, imageCount: imageCount + 1 });
      return image;
    });
  }

  /** Kills all decoders, even if they are decoding, and waits until they have ended. */
  async close(): Promise<void> {
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    for (const decoder of this.decoders) decoder.kill();
    await Promise.all([...this.decoders].map(({ ended }) => ended));
  }

  private takeIdle(): PooledDecoder | undefined {
    const idle = this.idle.pop();
    if (!idle) return undefined;
    clearTimeout(idle.timer);
    // An idle decoder may have been killed from outside, for instance by the kernel.
    return idle.decoder.hasEnded ? this.takeIdle() : idle;
  }

  private start(): PooledDecoder {
    const decoder = new ImageDecoderClient(this.settings);
    this.decoders.add(decoder);
    void decoder.ended.then(() => this.decoders.delete(decoder));
    return { decoder, imageCount: 0 };
  }

  /** Makes a decoder idle, unless it has ended or is to be replaced. */
  private returnOrKill({ decoder, imageCount }: PooledDecoder): void {
    if (decoder.hasEnded) return;
    if (imageCount >= this.settings.imagesPerProcess) {
      decoder.kill();
      return;
    }
    const timer = setTimeout(() => {
      this.idle.splice(this.idle.indexOf(idle), 1);
      decoder.kill();
    }, this.settings.idleMs);
    timer.unref(); // an idle decoder does not keep the replica alive
    const idle: IdleDecoder = { decoder, imageCount, timer };
    this.idle.push(idle);
  }
}
