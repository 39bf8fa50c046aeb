import { Inject, Injectable } from '@nestjs/common';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { SHARD_COUNT, chatKeys } from '../redis/redis.keys';
import { type OutboxEntry, toOutboxEntry } from './outbox.repository';
import { moveScript } from './outbox.scripts';

const PAGE_SIZE = 500;
/**
 * Index of the value of `reason` in what XRANGE returns for a dead letter: the names and values of its fields,
 * alternately. The fields are `session`, `entry`, `event` and `reason`, in this order.
 */
const REASON_INDEX = 7;

/**
 * Describes an outbox entry that PostgreSQL refuses, without the event itself. The event has a different id in each
 * stream: `entryId` in the stream of the session, `outboxId` in the outbox, and `deadLetterId` in the dead letters.
 */
export interface DeadLetter extends Pick<OutboxEntry, 'sessionId' | 'entryId'> {
  /** Why PostgreSQL refused the entry: the SQLSTATE, or the name of the error. */
  reason: string;
  /** When the entry left the outbox (epoch ms). */
  movedAt: number;
}

interface LocatedDeadLetter {
  shard: number;
  /** Id in the shard's stream of dead letters. It begins with the time at which the entry was added, in ms. */
  deadLetterId: string;
  letter: DeadLetter;
}

/**
 * Keeps the outbox entries that PostgreSQL refuses because of their content, until they are replayed. An outbox is a
 * Redis stream with the events of one shard that are not in PostgreSQL yet.
 */
@Injectable()
export class DeadLetterRepository {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /** Moves an entry from its outbox to the dead letters. */
  async add({ shard, outboxId }: OutboxEntry, reason: string): Promise<void> {
    const { outbox, deadLetters } = chatKeys(shard);
    await moveScript.run(this.redis, [outbox, deadLetters], [outboxId, 'reason', reason]);
  }

  /** Yields all dead letters, shard by shard, in the order in which they left the outbox. */
  async *list(): AsyncGenerator<DeadLetter> {
    for await (const { letter } of this.locate()) yield letter;
  }

  /**
   * Moves all dead letters to the ends of their outboxes, in order, for the workers to retry. Each letter is moved
   * atomically, so an interrupted or repeated replay duplicates nothing. Its reason is dropped.
   * @returns the number of entries moved.
   */
  async replay(): Promise<number> {
    let movedCount = 0;
    // Lists the dead letters first: an entry that PostgreSQL refuses again in the meantime waits for the next replay.
    const located: LocatedDeadLetter[] = [];
    for await (const deadLetter of this.locate()) located.push(deadLetter);
    for (const { shard, deadLetterId } of located) {
      const { deadLetters, outbox } = chatKeys(shard);
      movedCount += await moveScript.run(this.redis, [deadLetters, outbox], [deadLetterId]);
    }
    return movedCount;
  }

  /** Deletes the dead letters of some sessions, with their content. */
  async deleteBySessionIds(sessionIds: ReadonlySet<string>): Promise<void> {
    for await (const { shard, deadLetterId, letter } of this.locate()) {
      if (sessionIds.has(letter.sessionId)) await this.redis.xdel(chatKeys(shard).deadLetters, deadLetterId);
    }
  }

  /** Yields all dead letters with their shards and ids. */
  private async *locate(): AsyncGenerator<LocatedDeadLetter> {
    for (let shard = 0; shard < SHARD_COUNT; shard += 1) {
      const { deadLetters } = chatKeys(shard);
      let rangeStart = '-';
      for (;;) {
        const rows = await this.redis.xrange(deadLetters, rangeStart, '+', 'COUNT', PAGE_SIZE);
        for (const [deadLetterId, fields] of rows) {
          const { sessionId, entryId } = toOutboxEntry(shard, [deadLetterId, fields]);
          const movedAt = parseInt(deadLetterId, 10);
          const letter = { sessionId, entryId, reason: fields[REASON_INDEX] ?? '', movedAt };
          yield { shard, deadLetterId, letter };
        }
        const lastId = rows.at(-1)?.[0];
        if (lastId === undefined || rows.length < PAGE_SIZE) break;
        rangeStart = `(${lastId}`;
      }
    }
  }
}
