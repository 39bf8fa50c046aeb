import { Injectable } from '@nestjs/common';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';

/** Long enough for a client that reconnects after its computer was asleep for some minutes. */
const ORDINARY_EXPIRY_MS = 10 * 60_000;
/** Longer than a client keeps trying to reconnect (31 s). */
const EXPIRY_WHEN_FULL_MS = 60_000;

/** Decides how long Redis keeps the stream of a chat whose end is in PostgreSQL, for clients that reconnect. */
@Injectable()
export class EndedStreamExpiryService {
  constructor(private readonly valve: MemoryValveService) {}

  /** Whether the memory valve of any process may be closed, because Redis is short of memory. */
  get isRedisShortOfMemory(): boolean {
    return this.valve.mayBeClosedElsewhere;
  }

  get durationMs(): number {
    return this.isRedisShortOfMemory ? EXPIRY_WHEN_FULL_MS : ORDINARY_EXPIRY_MS;
  }
}
