import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { OnProcessEvent } from '../process-events/process-event.decorator';
import { getBucket } from '../rate-limit/bucket.limits';
import { bucketLua } from '../rate-limit/gcra.functions';
import { LocalRateLimiter } from '../rate-limit/local-rate.limiter';
import { REDIS } from '../redis/redis.module';
import type { RedisClient } from '../redis/redis-connection.factory';
import { RedisScript } from '../redis/redis-script.model';
import { rateLimitKey, socketsOfAddressKey } from '../redis/redis.keys';
import { socketsPerAddress } from './realtime.limits';
import { ReplicaLeaseService } from './replica-lease.service';

/** TTL of an address's set since its last opened socket, in case every replica that would clean the set up dies. */
const SET_TTL_MS = 24 * 60 * 60_000;
/** `retryAfterMs` for a client whose address has too many sockets. */
const FULL_RETRY_MS = 5_000;

/**
 * KEYS: handshake bucket of the address, its open sockets (set of `replica|socket`).
 * ARGV: handshakes to take, interval in ms, burst, member, maximum, TTL of the set in ms.
 * Returns the milliseconds to wait, 0 if admitted; if the address has too many sockets, -1 and its members.
 */
const admitScript = new RedisScript<[number, ...string[]]>(`${bucketLua}
local bucket, sockets = KEYS[1], KEYS[2]
local handshakes, intervalMs, burst, member, maxSockets, ttlMs = unpack(ARGV)
local waitMs = take(bucket, tonumber(handshakes), tonumber(intervalMs), tonumber(burst))
if waitMs > 0 then return {waitMs} end
if redis.call('SCARD', sockets) >= tonumber(maxSockets) then return {-1, unpack(redis.call('SMEMBERS', sockets))} end
redis.call('SADD', sockets, member)
redis.call('PEXPIRE', sockets, ttlMs)
return {0}
`);

export type Admission =
  | { isAdmitted: true; /** Call this once the connection has closed. */ release: () => void }
  | { isAdmitted: false; retryAfterMs: number };

/**
 * Decides whether an address may open another socket. Checks the handshake rate and the maximum number of open sockets,
 * both over all replicas, in one atomic call of Redis. Admits every socket under LIMITS_PROFILE=load.
 */
@Injectable()
export class SocketAdmissionService {
  private readonly logger = new Logger(SocketAdmissionService.name);
  private readonly maximum: number;
  private readonly handshakes: { intervalMs: number; burst: number };
  /** Local limit while Redis is unavailable. */
  private readonly localHandshakes = new LocalRateLimiter();
  /** Members of open sockets of this replica, by address. */
  private readonly open = new Map<string, Set<string>>();
  /** Members whose removal failed, by address. */
  private readonly unreleased = new Map<string, Set<string>>();

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) environment: Pick<Environment, 'LIMITS_PROFILE'>,
    private readonly lease: ReplicaLeaseService,
  ) {
    this.maximum = socketsPerAddress[environment.LIMITS_PROFILE];
    this.handshakes = getBucket('socket_handshakes', environment.LIMITS_PROFILE);
  }

  /** Decides about one socket. Never rejects. @param subject the address as returned by `toRateLimitSubject`. */
  async admit(subject: string): Promise<Admission> {
    if (this.maximum === Infinity) return { isAdmitted: true, release: () => undefined };
    const member = `${this.lease.replicaId}|${randomBytes(9).toString('base64url')}`;
    const retryAfterMs = await this.tryTake(subject, member);
    if (retryAfterMs > 0) return { isAdmitted: false, retryAfterMs };
    addMember(this.open, subject, member);
    return { isAdmitted: true, release: () => this.release(subject, member) };
  }

  /** While this replica's lease was expired, another replica may have evicted its sockets. */
  @OnProcessEvent('LeaseLapsed')
  async restoreRecords(): Promise<void> {
    const records = [...this.open].map(([subject, members]) =>
      this.redis.sadd(socketsOfAddressKey(subject), ...members),
    );
    const failed = (await Promise.allSettled(records)).filter(({ status }) => status === 'rejected').length;
    if (failed > 0) this.logger.warn(`Sockets of ${failed} addresses were not recorded again`);
  }

  @OnProcessEvent('LeaseRenewed')
  retryReleases(): void {
    const late = [...this.unreleased];
    this.unreleased.clear();
    for (const [subject, members] of late) for (const member of members) this.remove(subject, member);
  }

  /** Takes a handshake and records the socket. @returns the milliseconds to wait; 0 if admitted. */
  private async tryTake(subject: string, member: string): Promise<number> {
    try {
      const [wait, ...members] = await this.tryAdmit(subject, member, 1);
      if (wait >= 0) return wait;
      const hasEvicted = await this.evictDead(subject, members);
      // The handshake has been taken already.
      const [again] = hasEvicted ? await this.tryAdmit(subject, member, 0) : [-1];
      return again < 0 ? FULL_RETRY_MS : again;
    } catch {
      const refusedForMs = this.takeLocally(subject);
      // The call may have been executed although the reply was lost.
      if (refusedForMs > 0) addMember(this.unreleased, subject, member);
      return refusedForMs;
    }
  }

  /** Applies the limits to this replica's own sockets while Redis is unavailable. */
  private takeLocally(subject: string): number {
    if ((this.open.get(subject)?.size ?? 0) >= this.maximum) return FULL_RETRY_MS;
    return this.localHandshakes.take(subject, 1, this.handshakes, Date.now()).retryAfterMs;
  }

  private tryAdmit(subject: string, member: string, handshakes: number): Promise<[number, ...string[]]> {
    const { intervalMs, burst } = this.handshakes;
    return admitScript.run(
      this.redis,
      [rateLimitKey('socket_handshakes', subject), socketsOfAddressKey(subject)],
      [handshakes, intervalMs, burst, member, this.maximum, SET_TTL_MS],
    );
  }

  /** Removes the sockets of dead replicas from the set. @returns whether there were any. */
  private async evictDead(subject: string, members: readonly string[]): Promise<boolean> {
    if (!this.lease.maySweep) return false;
    const parseReplicaId = (member: string): string => member.slice(0, member.lastIndexOf('|'));
    const { replicaIds } = await this.lease.findDeadAmong([...new Set(members.map(parseReplicaId))]);
    const dead = members.filter((member) => replicaIds.includes(parseReplicaId(member)));
    if (dead.length > 0) await this.redis.srem(socketsOfAddressKey(subject), ...dead);
    return dead.length > 0;
  }

  private release(subject: string, member: string): void {
    const members = this.open.get(subject);
    members?.delete(member);
    if (members?.size === 0) this.open.delete(subject);
    this.remove(subject, member);
  }

  private remove(subject: string, member: string): void {
    this.redis
      .srem(socketsOfAddressKey(subject), member)
      .catch(() => addMember(this.unreleased, subject, member));
  }
}

const addMember = (sets: Map<string, Set<string>>, key: string, member: string): void => {
  const members = sets.get(key);
  if (members) members.add(member);
  else sets.set(key, new Set([member]));
};
