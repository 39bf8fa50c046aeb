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
/** How long a client whose address has too many sockets has to wait. */
const RETRY_WHEN_FULL_MS = 5_000;
/** In the reply of `admitScript`, in place of a time to wait: the address has too many sockets. */
const TOO_MANY_SOCKETS = -1;

/**
 * KEYS: handshake bucket (rate limit of upgrades) of the address, its open sockets (set of `<replica id>|<socket>`).
 * ARGV: handshakes to take, interval and burst of the bucket (ms, handshakes), member to add to the set, maximum number
 * of members, TTL of the set in ms.
 * Returns the milliseconds to wait, 0 if admitted; but TOO_MANY_SOCKETS and the members of the set if the set is full.
 * The function `take` is defined in `bucketLua`.
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

interface AdmitReply {
  /** Milliseconds; 0 if the socket is admitted. */
  waitMs: number;
  /** The members of the address's set; only if it has too many. */
  membersOfFullSet?: readonly string[];
}

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
 *
 * Redis has a set for each address, in which every open socket is recorded as a member, `<replica id>|<socket>`. All
 * IPv6 addresses of a /64 network count as one address (`toRateLimitSubject`).
 */
@Injectable()
export class SocketAdmissionService {
  private readonly logger = new Logger(SocketAdmissionService.name);
  private readonly maxSockets: number;
  private readonly handshakeBucket: { intervalMs: number; burst: number };
  /** Limits handshakes while Redis is unavailable. */
  private readonly localHandshakes = new LocalRateLimiter();
  /** The members for the open sockets of this replica, by address. */
  private readonly openMembers = new Map<string, Set<string>>();
  /** Addresses with sockets that were admitted while Redis was unavailable, and may not be recorded. */
  private readonly unrecordedAddresses = new Set<string>();
  /** Members whose removal from Redis is to be repeated, by address. */
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
   * @param address as returned by `toRateLimitSubject`.
   */
  async admit(address: string): Promise<Admission> {
    // LIMITS_PROFILE=load
    if (this.maxSockets === Infinity) return { isAdmitted: true, release: () => undefined };
    const member = `${this.lease.replicaId}|${randomBytes(9).toString('base64url')}`;
    const retryAfterMs = await this.requestAdmission(address, member);
    if (retryAfterMs > 0) return { isAdmitted: false, retryAfterMs };
    addMember(this.openMembers, address, member);
    return { isAdmitted: true, release: () => this.release(address, member) };
  }

  /** Records all open sockets again: while this replica's lease was expired, another replica may have evicted them. */
  @OnProcessEvent('LeaseLapsed')
  async restoreRecords(): Promise<void> {
    const results = await Promise.allSettled(
      [...this.openMembers.keys()].map((address) => this.recordSockets(address)),
    );
    const failedCount = results.filter(({ status }) => status === 'rejected').length;
    if (failedCount > 0) this.logger.warn(`Sockets of ${failedCount} addresses were not recorded again`);
  }

  /** Repeats what failed while Redis was unavailable. A renewed lease shows that Redis is available again. */
  @OnProcessEvent('LeaseRenewed')
  repeatFailedChanges(): void {
    // Both collections are emptied first: a change that fails again is added again.
    const unrecorded = [...this.unrecordedAddresses];
    this.unrecordedAddresses.clear();
    for (const address of unrecorded)
      void this.recordSockets(address).catch(() => this.unrecordedAddresses.add(address));
    const unremoved = [...this.unremovedMembers];
    this.unremovedMembers.clear();
    for (const [address, members] of unremoved)
      for (const member of members) this.removeRecord(address, member);
  }

  /** Takes a handshake and records the socket, or applies local limits. @returns the ms to wait; 0 if admitted. */
  private async requestAdmission(address: string, member: string): Promise<number> {
    try {
      const { waitMs, membersOfFullSet } = await this.runAdmitScript(address, member, { handshakes: 1 });
      if (!membersOfFullSet) return waitMs;
      const hasEvicted = await this.evictDead(address, membersOfFullSet);
      if (!hasEvicted) return waitMs;
      // The first call has taken the handshake already.
      const secondReply = await this.runAdmitScript(address, member, { handshakes: 0 });
      return secondReply.waitMs;
    } catch {
      const waitMs = this.requestLocalAdmission(address);
      // The script may have added the member although its reply was lost. When Redis is available again, the member of
      // a refused socket is removed, and that of an admitted one is added.
      if (waitMs > 0) addMember(this.unremovedMembers, address, member);
      else this.unrecordedAddresses.add(address);
      return waitMs;
    }
  }

  /** Adds this replica's open sockets of an address to the address's set. */
  private async recordSockets(address: string): Promise<void> {
    const members = this.openMembers.get(address);
    if (!members) return;
    const key = socketsOfAddressKey(address);
    await Promise.all([this.redis.sadd(key, ...members), this.redis.pexpire(key, SET_TTL_MS)]);
  }

  /** Applies the limits to this replica's own sockets. @returns the milliseconds to wait; 0 if admitted. */
  private requestLocalAdmission(address: string): number {
    const openCount = this.openMembers.get(address)?.size ?? 0;
    if (openCount >= this.maxSockets) return RETRY_WHEN_FULL_MS;
    return this.localHandshakes.take(address, 1, this.handshakeBucket, Date.now()).retryAfterMs;
  }

  private async runAdmitScript(
    address: string,
    member: string,
    { handshakes }: { handshakes: 0 | 1 },
  ): Promise<AdmitReply> {
    const { intervalMs, burst } = this.handshakeBucket;
    const [waitMs, ...members] = await admitScript.run(
      this.redis,
      [rateLimitKey('socket_handshakes', address), socketsOfAddressKey(address)],
      [handshakes, intervalMs, burst, member, this.maxSockets, SET_TTL_MS],
    );
    return waitMs === TOO_MANY_SOCKETS
      ? { waitMs: RETRY_WHEN_FULL_MS, membersOfFullSet: members }
      : { waitMs };
  }

  /** Removes the sockets of dead replicas from the address's set. @returns whether it removed any. */
  private async evictDead(address: string, members: readonly string[]): Promise<boolean> {
    // After an outage of Redis, a live replica has no lease until it renews its own, so a missing lease proves nothing.
    if (!this.lease.maySweep) return false;
    const parseReplicaId = (member: string): string => member.slice(0, member.lastIndexOf('|'));
    const replicaIds = [...new Set(members.map(parseReplicaId))];
    const { replicaIds: deadReplicaIds } = await this.lease.findDeadAmong(replicaIds);
    const dead = members.filter((member) => deadReplicaIds.includes(parseReplicaId(member)));
    if (dead.length === 0) return false;
    await this.redis.srem(socketsOfAddressKey(address), ...dead);
    return true;
  }

  private release(address: string, member: string): void {
    const members = this.openMembers.get(address);
    members?.delete(member);
    if (members?.size === 0) this.openMembers.delete(address);
    this.removeRecord(address, member);
  }

  private removeRecord(address: string, member: string): void {
    this.redis
      .srem(socketsOfAddressKey(address), member)
      .catch(() => addMember(this.unremovedMembers, address, member));
  }
}

const addMember = (membersByAddress: Map<string, Set<string>>, address: string, member: string): void => {
  const members = membersByAddress.get(address);
  if (members) members.add(member);
  else membersByAddress.set(address, new Set([member]));
};
