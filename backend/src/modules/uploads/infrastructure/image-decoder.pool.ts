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
  /** Milliseconds after which an idle decoder is ended. */
  idleMs: number;
  /** Images after which a decoder is replaced, which releases memory that libvips leaks or fragments. */
  imagesPerProcess: number;
}

/** A pool of decoder processes, started on demand and ended when idle. */
export class ImageDecoderPool {
  private readonly limiter: ConcurrencyLimiter;
  private readonly processes = new Set<ImageDecoderClient>();
  private readonly idle: { process: ImageDecoderClient; images: number; timer: NodeJS.Timeout }[] = [];

  constructor(private readonly settings: ImageDecoderPoolSettings) {
    this.limiter = new ConcurrencyLimiter(settings.concurrency, settings.maxQueued);
  }

  /**
   * @returns null for a refused image.
   * @throws DomainError unavailable when the queue is full.
   */
  decode(job: DecoderJob): Promise<DecodedImage | null> {
    return this.limiter.run(async () => {
      const { process, images } = this.take();
      const image = await process.decode(job);
      if (images + 1 >= this.settings.imagesPerProcess) process.kill();
      else if (!process.hasEnded) this.returnToPool(process, images + 1);
      return image;
    });
  }

  async close(): Promise<void> {
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    for (const process of this.processes) process.kill();
    await Promise.all([...this.processes].map(({ ended }) => ended));
  }

  private take(): { process: ImageDecoderClient; images: number } {
    for (let last = this.idle.pop(); last; last = this.idle.pop()) {
      clearTimeout(last.timer);
      if (!last.process.hasEnded) return last;
    }
    const process = new ImageDecoderClient(this.settings);
    this.processes.add(process);
    void process.ended.then(() => this.processes.delete(process));
    return { process, images: 0 };
  }

  private returnToPool(process: ImageDecoderClient, images: number): void {
    const timer = setTimeout(() => {
      this.idle.splice(
        this.idle.findIndex((entry) => entry.process === process),
        1,
      );
      process.kill();
    }, this.settings.idleMs);
    timer.unref();
    this.idle.push({ process, images, timer });
  }
}
