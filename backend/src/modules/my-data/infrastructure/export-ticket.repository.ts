import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Login } from '../../../platform/http/login.decorator';
import { lockScript, unlockScript } from '../../../platform/redis/lock.scripts';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { exportLockKey, exportTicketKey } from '../../../platform/redis/redis.keys';
import { REDIS } from '../../../platform/redis/redis.module';

/** How long an export can be downloaded after it was asked for. */
export const TICKET_MS = 10 * 60_000;
/** A replica that dies holds the user's lock for this long. */
const LOCK_MS = 60_000;
const RENEW_LOCK_EVERY_MS = 20_000;
const TOKEN_BYTES = 16;

const toTicketKey = (token: string): string =>
  exportTicketKey(createHash('sha256').update(token).digest('base64url'));

const toHolder = ({ userId, familyId }: Login): string => `${userId}|${familyId}`;

/** Tickets for one download each, and the users whose export is running, in Redis. */
@Injectable()
export class ExportTicketRepository {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /** @returns the token of a ticket for this login. */
  async issue(login: Login): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    await this.redis.set(toTicketKey(token), toHolder(login), 'PX', TICKET_MS);
    return token;
  }

  /** Whether the ticket belongs to this login and was not used. */
  async isValid(token: string, login: Login): Promise<boolean> {
    return (await this.redis.get(toTicketKey(token))) === toHolder(login);
  }

  /** Uses the ticket, which the caller has found valid. @returns false if another request was first. */
  async use(token: string): Promise<boolean> {
    return (await this.redis.del(toTicketKey(token))) === 1;
  }

  /**
   * Locks the exports of a user on all replicas.
   * @returns a function that releases the lock; null if an export of the user is running.
   */
  async lock(userId: number): Promise<(() => Promise<void>) | null> {
    const keys = [exportLockKey(userId)];
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const acquire = () => lockScript.run(this.redis, keys, [token, LOCK_MS]);
    if ((await acquire()) === 0) return null;
    // A lost renewal is made up for by the next one, well before the lock expires.
    const timer = setInterval(() => void acquire().catch(() => undefined), RENEW_LOCK_EVERY_MS);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await unlockScript.run(this.redis, keys, [token]);
    };
  }
}
