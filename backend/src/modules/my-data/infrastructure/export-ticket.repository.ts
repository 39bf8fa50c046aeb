import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Login } from '../../../platform/http/login.decorator';
import { lockScript, unlockScript } from '../../../platform/redis/lock.scripts';
import type { RedisClient } from '../../../platform/redis/redis-connection.factory';
import { exportLockKey, exportTicketKey } from '../../../platform/redis/redis.keys';
import { REDIS } from '../../../platform/redis/redis.module';

/** How long an export can be downloaded after its request. */
export const TICKET_MS = 10 * 60_000;
/** A lock expires after this time unless it is renewed, in case its replica dies. */
const LOCK_MS = 60_000;
const RENEW_LOCK_EVERY_MS = 20_000;
const TOKEN_BYTES = 16;

const createToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Only the hash of a token is stored, so that access to Redis is not enough to download an export. */
const toTicketKey = (token: string): string =>
  exportTicketKey(createHash('sha256').update(token).digest('base64url'));

/** The value of a ticket in Redis: the login to which it belongs. */
const toTicketValue = ({ userId, familyId }: Login): string => `${userId}|${familyId}`;

/** Stores in Redis the tickets, each for one download, and the locks of users whose export is running. */
@Injectable()
export class ExportTicketRepository {
  constructor(@Inject(REDIS) private readonly redis: RedisClient) {}

  /** Creates a ticket for this login. @returns its token, with which the login can download one export. */
  async issue(login: Login): Promise<string> {
    const token = createToken();
    await this.redis.set(toTicketKey(token), toTicketValue(login), 'PX', TICKET_MS);
    return token;
  }

  /** Whether this is the token of an unused ticket of this login. The ticket stays valid until `use`. */
  async isValid(token: string, login: Login): Promise<boolean> {
    return (await this.redis.get(toTicketKey(token))) === toTicketValue(login);
  }

  /** Uses up a valid ticket, once the export can start. @returns false if another request has used it first. */
  async use(token: string): Promise<boolean> {
    return (await this.redis.del(toTicketKey(token))) === 1;
  }

  /**
   * Locks the exports of a user on all replicas.
   * @returns a function that releases the lock; null if an export of the user is running.
   */
  async lock(userId: number): Promise<(() => Promise<void>) | null> {
    const keys = [exportLockKey(userId)];
    const lockToken = createToken();
    const acquireOrRenew = () => lockScript.run(this.redis, keys, [lockToken, LOCK_MS]);
    const isAcquired = (await acquireOrRenew()) === 1;
    if (!isAcquired) return null;
    // A failed renewal is ignored, because the next one comes before the lock expires.
    const timer = setInterval(() => void acquireOrRenew().catch(() => undefined), RENEW_LOCK_EVERY_MS);
    timer.unref();
    return async () => {
      clearInterval(timer);
      await unlockScript.run(this.redis, keys, [lockToken]);
    };
  }
}
