import { Injectable } from '@nestjs/common';
import { MemoryValveService } from '../../../platform/redis/memory-valve.service';

const USUAL_MS = 10 * 60_000;
/** Longer than a page goes on reconnecting by itself (31 s). */
const WHEN_FULL_MS = 60_000;

/** How long a chat's stream stays in Redis once its end is durable: a page that was away learns how the chat ended. */
@Injectable()
export class EndedStreamExpiryService {
  constructor(private readonly valve: MemoryValveService) {}

  get isShort(): boolean {
    return this.valve.mayBeClosedElsewhere;
  }

  get ms(): number {
    return this.isShort ? WHEN_FULL_MS : USUAL_MS;
  }
}
