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

/** The set of an address expires this long after the last addition, in case no replica is left to remove members. */
const SET_TTL_MS = 24 * 60 * 60_000;
/** `retryAfterMs` for a client whose address has too many sockets. */
const RETRY_WHEN_FULL_MS = 5_000;
/** Reply of `admitScript` if the address has too many sockets. */
const TOO_MANY_SOCKETS = -1;

/**
 * KEYS: handshake bucket (rate limit of upgrades) of the address, its open sockets (set of `<replica id>|<socket>`).
 * ARGV: handshakes to take, interval and burst of the bucket (ms, handshakes), member to add to the set, maximum number
 * of members, TTL of the set in ms.
 * Returns the milliseconds to wait, 0 if admitted. If the address has too many sockets, returns TOO_MANY_SOCKETS and
 * the members of the set. The function `take` is defined in `bucketLua`.
 */
const admitScript = new RedisScript<[number, ...string[]]>(`${bucketLua}
local bucket, sockets = KEYS[1], KEYS[2]
local handshakes, intervalMs, burst, member, maxSockets, ttlMs = unpack(ARGV)
local waitMs = take(bucket, tonumber(handshakes), tonumber(intervalMs), tonumber(burst))
if waitMs > 0 then return {waitMs} end
if redis.call('SCARD', sockets) >= tonumber(maxSockets) then
  return {${TOO_MANY_SOCKETS}, unpack(redis.call('SMEMBERS', sockets))}
end
redis.call('SADD', sockets, member)
redis.call('PEXPIRE', sockets, ttlMs)
return {0}
`);

export type Admission =
  | {
      isAdmitted: true;
      /** Call this once the connection has closed. */
      release: () => void;
    }
  | { isAdmitted: false; retryAfterMs: number };

/**
 * Decides whether an address may open another socket. Checks the handshake rate and the maximum number of open sockets,
 * both over all replicas, in one atomic call of Redis. Admits every socket under LIMITS_PROFILE=load.
 */
@Injectable()
export class SocketAdmissionService {
  private readonly logger = new Logger(SocketAdmissionService.name);
  private readonly maxSockets: number;
  private readonly handshakeBucket: { intervalMs: number; burst: number };
  /** Limits handshakes while Redis is unavailable. */
  private readonly localHandshakes = new LocalRateLimiter();
  /**
   * Members (`<replica id>|<socket>`) of the open sockets of this replica, by subject: an IPv4 address, or the network
   * of an IPv6 address. Other comments in this file call both an address.
   */
  private readonly openMembers = new Map<string, Set<string>>();
  /** Subjects with sockets that were admitted while Redis was unavailable: the sets in Redis lack these sockets. */
  private readonly unrecordedSubjects = new Set<string>();
  /** Members whose removal from Redis is to be repeated, by subject. */
  private readonly unremovedMembers = new Map<string, Set<string>>();

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(ENVIRONMENT) environment: Pick<Environment, 'LIMITS_PROFILE'>,
    private readonly lease: ReplicaLeaseService,
  ) {
    this.maxSockets = socketsPerAddress[environment.LIMITS_PROFILE];
    this.handshakeBucket = getBucket('socket_handshakes', environment.LIMITS_PROFILE);
  }

  /**
   * Decides about one socket, and counts it if it is admitted. Never rejects.
   * @param subject the address as returned by `toRateLimitSubject`.
   */
  async admit(subject: string): Promise<Admission> {
    // LIMITS_PROFILE=load
    if (this.maxSockets === Infinity) return { isAdmitted: true, release: () => undefined };
    const member = `${this.lease.replicaId}|${randomBytes(9).toString('base64url')}`;
    const retryAfterMs = await this.requestAdmission(subject, member);
    if (retryAfterMs > 0) return { isAdmitted: false, retryAfterMs };
    addMember(this.openMembers, subject, member);
    return { isAdmitted: true, release: () => this.release(subject, member) };
  }

  /** Records all open sockets again: while this replica's lease was expired, another replica may have evicted them. */
  @OnProcessEvent('LeaseLapsed')
  async restoreRecords(): Promise<void> {
    const records = [...this.openMembers.keys()].map((subject) => this.record(subject));
    const failed = (await Promise.allSettled(records)).filter(({ status }) => status === 'rejected').length;
    if (failed > 0) this.logger.warn(`Sockets of ${failed} addresses were not recorded again`);
  }

  /** Repeats what failed while Redis was unavailable. A renewed lease shows that Redis is available again. */
  @OnProcessEvent('LeaseRenewed')
  repeatFailedChanges(): void {
    const unrecorded = [...this.unrecordedSubjects];
    this.unrecordedSubjects.clear();
    for (const subject of unrecorded)
      void this.record(subject).catch(() => this.unrecordedSubjects.add(subject));
    const unremoved = [...this.unremovedMembers];
    this.unremovedMembers.clear();
    for (const [subject, members] of unremoved)
      for (const member of members) this.removeRecord(subject, member);
  }

  /** Takes a handshake and records the socket, or applies local limits. @returns the ms to wait; 0 if admitted. */
  private async requestAdmission(subject: string, member: string): Promise<number> {
    try {
      const [waitMs, ...members] = await this.runAdmitScript(subject, member, 1);
      if (waitMs !== TOO_MANY_SOCKETS) return waitMs;
      if (!(await this.evictDead(subject, members))) return RETRY_WHEN_FULL_MS;
      // The first call has taken the handshake already.
      const [waitAfterEvictionMs] = await this.runAdmitScript(subject, member, 0);
      return waitAfterEvictionMs === TOO_MANY_SOCKETS ? RETRY_WHEN_FULL_MS : waitAfterEvictionMs;
    } catch {
      const waitMs = this.takeLocally(subject);
      // The script may have added the member although its reply was lost. When Redis is available again, the member of
      // a refused socket is removed, and that of an admitted one is added.
      if (waitMs > 0) addMember(this.unremovedMembers, subject, member);
      else this.unrecordedSubjects.add(subject);
      return waitMs;
    }
  }

  /** Adds the open sockets of an address to its set. */
  private async record(subject: string): Promise<void> {
    const members = this.openMembers.get(subject);
    if (!members) return;
    const key = socketsOfAddressKey(subject);
    await Promise.all([this.redis.sadd(key, ...members), this.redis.pexpire(key, SET_TTL_MS)]);
  }

  /** Applies the limits to this replica's own sockets. @returns the milliseconds to wait; 0 if admitted. */
  private takeLocally(subject: string): number {
    if ((this.openMembers.get(subject)?.size ?? 0) >= this.maxSockets) return RETRY_WHEN_FULL_MS;
    return this.localHandshakes.take(subject, 1, this.handshakeBucket, Date.now()).retryAfterMs;
  }

  private runAdmitScript(
    subject: string,
    member: string,
    handshakes: number,
  ): Promise<[number, ...string[]]> {
    const { intervalMs, burst } = this.handshakeBucket;
    return admitScript.run(
      this.redis,
      [rateLimitKey('socket_handshakes', subject), socketsOfAddressKey(subject)],
      [handshakes, intervalMs, burst, member, this.maxSockets, SET_TTL_MS],
    );
  }

  /** Removes the sockets of dead replicas from the address's set. @returns whether it removed any. */
  private async evictDead(subject: string, members: readonly string[]): Promise<boolean> {
    // After an outage of Redis, a live replica has no lease until it renews its own, so a missing lease proves nothing.
    if (!this.lease.maySweep) return false;
    const parseReplicaId = (member: string): string => member.slice(0, member.lastIndexOf('|'));
    const replicaIds = [...new Set(members.map(parseReplicaId))];
    const { replicaIds: deadReplicaIds } = await this.lease.findDeadAmong(replicaIds);
    const dead = members.filter((member) => deadReplicaIds.includes(parseReplicaId(member)));
    if (dead.length > 0) await this.redis.srem(socketsOfAddressKey(subject), ...dead);
    return dead.length > 0;
  }

  private release(subject: string, member: string): void {
    const members = this.openMembers.get(subject);
    members?.delete(member);
    if (members?.size === 0) this.openMembers.delete(subject);
    this.removeRecord(subject, member);
  }

  private removeRecord(subject: string, member: string): void {
    this.redis
      .srem(socketsOfAddressKey(subject), member)
      .catch(() => addMember(this.unremovedMembers, subject, member));
  }
}

const addMember = (sets: Map<string, Set<string>>, key: string, member: string): void => {
  const members = sets.get(key);
  if (members) members.add(member);
  else sets.set(key, new Set([member]));
};
