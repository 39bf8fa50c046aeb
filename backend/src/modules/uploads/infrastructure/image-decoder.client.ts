import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ResizeOptions } from 'sharp';
import { DomainError } from '../../../platform/errors/domain.errors';

export interface DecoderJob {
  /** The file as it was uploaded. */
  bytes: Buffer;
  resize: ResizeOptions;
  /** An image with more pixels is refused. */
  maxPixels: number;
  /** Wall-clock time in seconds after which libvips, the image library, stops. */
  timeoutS: number;
}

export interface DecodedImage {
  bytes: Buffer;
  width: number;
  height: number;
  format: 'jpeg' | 'webp';
  /** 64-bit difference hash of the picture, in hex; similar pictures have similar hashes. */
  dhash: string;
}

export interface DecoderLimits {
  /** A decoder that takes longer for an image is killed. Must exceed `timeoutS` of the job. */
  killAfterMs: number;
  /** A decoder with more resident memory is killed; enforced only where /proc exists. */
  maxResidentBytes: number;
}

const PROGRAM = path.join(__dirname, 'image-decoder.process.cjs');
const CHECK_MEMORY_EVERY_MS = 100;
/** Size of a memory page on most machines. Where pages are larger, a decoder is killed only above the limit. */
const PAGE_BYTES = 4_096;

/** A child process that decodes one image at a time. It keeps the parent process alive only while it works. */
export class ImageDecoderClient {
  /** Settles when the process has ended or could not be started. */
  readonly ended: Promise<void>;
  private readonly child: ChildProcess;
  private hasFailedToStart = false;

  constructor(private readonly limits: DecoderLimits) {
    this.child = fork(PROGRAM, {
      execArgv: [], // without the Node options of the replica
      // An otherwise empty environment, so that no secret is passed. Decoding one image at a time needs few threads of
      // libuv. There are few heaps (arenas) of glibc, because glibc does not return their free memory to the system.
      env: { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '2' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ended = new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.once('error', () => {
        // Either the process could not be started and has no id, or a message could not be sent to it.
        this.hasFailedToStart = this.child.pid === undefined;
        if (this.hasFailedToStart) resolve();
        else this.kill();
      });
    });
    this.setWorking(false);
  }

  get hasEnded(): boolean {
    return this.hasFailedToStart || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /**
   * Must not be called when `hasEnded`: the result would be null, as for a refused image.
   * @returns null for a refused image, including one that crashes the decoder or exceeds its time or memory limit.
   * @throws DomainError unavailable when the process cannot be started.
   */
  async decode(job: DecoderJob): Promise<DecodedImage | null> {
    this.setWorking(true);
    const deadline = setTimeout(() => this.kill(), this.limits.killAfterMs);
    const memoryTimer = setInterval(() => void this.checkMemory(), CHECK_MEMORY_EVERY_MS);
    try {
      const image = await Promise.race([this.request(job), this.ended.then(() => null)]);
      if (this.hasFailedToStart) throw new DomainError('unavailable');
      return image;
    } finally {
      clearTimeout(deadline);
      clearInterval(memoryTimer);
      this.setWorking(false);
    }
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  private request(job: DecoderJob): Promise<DecodedImage | null> {
    return new Promise((resolve) => {
      this.child.once('message', ({ image }: { image: DecodedImage | null }) => resolve(image));
      // A failed send means that the process has ended or is about to.
      this.child.send(job, (error) => {
        if (error) this.kill();
      });
    });
  }

  private async checkMemory(): Promise<void> {
    const statm = await readFile(`/proc/${this.child.pid}/statm`, 'utf8').catch(() => '');
    // The file begins with the total and the resident memory, in pages.
    const residentPages = Number(statm.split(' ')[1] ?? 0);
    if (residentPages * PAGE_BYTES > this.limits.maxResidentBytes) this.kill();
  }

  /** Referenced handles keep the parent process alive. */
  private setWorking(isWorking: boolean): void {
    for (const handle of [this.child, this.child.channel]) {
      if (isWorking) handle?.ref();
      else handle?.unref();
    }
  }
}
