import { Injectable } from '@nestjs/common';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';

/** Long enough for a page on a computer that was asleep for some minutes. */
const USUAL_EXPIRY_MS = 10 * 60_000;
/** Longer than a page keeps reconnecting by itself (31 s). */
const EXPIRY_WHEN_FULL_MS = 60_000;

/** How long a chat's stream stays in Redis once its end is durable, so that a reconnecting page learns of the end. */
@Injectable()
export class EndedStreamExpiryService {
  constructor(private readonly valve: MemoryValveService) {}

  /** Whether Redis may be short of memory, so that streams expire earlier. */
  get isShortened(): boolean {
    return this.valve.mayBeClosedElsewhere;
  }

  get durationMs(): number {
    return this.isShortened ? EXPIRY_WHEN_FULL_MS : USUAL_EXPIRY_MS;
  }
}
