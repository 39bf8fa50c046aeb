import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { warnAbout, warnAboutFailed } from '../observability/warn-about.functions';
import { RedisScript, type ScriptCall } from '../redis/redis-script.model';
import { directoryKeys } from '../redis/redis.keys';
import type { DeadReplicas, ReplicaLeaseService } from './replica-lease.service';
import { socketDirectoryLua } from './socket-directory.scripts';

/** Calls under way at once while differences are settled or slots are read. */
const CONCURRENCY = 200;
/** Each slot is compared with Redis once in so many renewals of the lease, i.e. about every 30 s. */
const COMPARE_EVERY_RENEWALS = 30;
/** How often a sweep may go on with a slot of which it could evict only a part. */
const SWEEP_ROUNDS = 100;

/**
 * What a replica has recorded in a slot. It lives as it asks: a sweeper that found it dead before must not evict it
 * any more. KEYS: replicas. ARGV: replica.
 */
const recordedScript = new RedisScript<string[]>(`${socketDirectoryLua}
local recorded = redis.call('SMEMBERS', P .. 'replica:' .. ARGV[1])
if #recorded > 0 then redis.call('ZADD', P .. 'replicas', now(), ARGV[1]) end
return recorded
`);

type Parameter = string | number;

export interface SocketDirectoryOptions<Joined> {
  /** For the log: what is recorded. */
  name: string;
  redis: Redis;
  lease: Pick<ReplicaLeaseService, 'replicaId' | 'shareOf' | 'expired' | 'deadAmong'>;
  slots: {
    count: number;
    /** @returns the prefix of a slot's keys, a hash tag and a colon. */
    prefix(slot: number): string;
    of(topic: string): number;
  };
  scripts: {
    /** KEYS: replicas. ARGV: topic, member, replica, then the parameters of the entry. Idempotent. */
    join: RedisScript<Joined>;
    /** KEYS: replicas. ARGV: topic, member, replica, grace in ms. Idempotent. */
    leave: RedisScript<unknown>;
    /** KEYS: replicas. ARGV: grace in ms, then `deadReplicas`. Answers 1 when more are to be evicted, then results. */
    sweep: RedisScript<[more: 0 | 1, ...results: string[]]>;
  };
  /** Grace period of members whose replica died, or that turn out to be gone, in ms. */
  graceAfterLossMs: number;
  /** Whether an `enter` with this answer recorded the member. Without it every `enter` does. */
  isRecorded?(reply: Joined): boolean;
  /** Called with the answer of every `enter`, also of one that was repeated later. */
  onJoined?(topic: string, member: string, reply: Joined): void;
}

/** What Redis ought to know of one member of this replica. A change replaces the object. */
interface Entry {
  readonly topic: string;
  readonly member: string;
  /** Null: the member has left. */
  readonly parameters: readonly Parameter[] | null;
  readonly graceMs: number;
  isSending: boolean;
}

/**
 * Records in Redis which replica holds which members of which topics: the sockets of a user, the sockets in a chat,
 * the replicas that hold a place in the queue. One script per call decides in the topic's hash slot.
 *
 * What this replica holds is kept here as well, and the difference is settled: a call that failed is repeated until
 * Redis has confirmed it, and what Redis has recorded is read and compared now and then (docs/decisions/0020-one-socket-directory.md).
 */
export class SocketDirectoryRepository<Joined> {
  private readonly logger = new Logger(SocketDirectoryRepository.name);
  private readonly entries = new Map<string, Entry>();
  /** Entries that Redis has not confirmed. */
  private readonly unsettled = new Set<Entry>();
  private isReconciling = false;
  private isSweeping = false;
  private comparisons: Promise<void> = Promise.resolve();
  private tick = 0;

  constructor(private readonly options: SocketDirectoryOptions<Joined>) {}

  /** Number of entries that Redis has not confirmed yet. */
  get unsettledCount(): number {
    return this.unsettled.size;
  }

  /**
   * Records a member, or new parameters of one.
   * @throws what Redis threw; the entry stays wanted, and is recorded later unless `leave` follows.
   */
  async join(topic: string, member: string, parameters: readonly Parameter[]): Promise<Joined> {
    return this.sendJoin(this.setDesired(topic, member, parameters, 0), parameters);
  }

  /**
   * As `enter`, by a script with the same first arguments that decides more in the same call. What is repeated later is
   * the `enter` script, without parameters.
   */
  async joinWith(
    script: RedisScript<Joined>,
    topic: string,
    member: string,
    parameters: readonly Parameter[],
  ): Promise<Joined> {
    return this.sendJoin(this.setDesired(topic, member, [], 0), parameters, script);
  }

  /** Records a member for callers that do without the answer. Never rejects: what fails is repeated. */
  async record(topic: string, member: string, parameters: readonly Parameter[]): Promise<void> {
    await this.settle(this.setDesired(topic, member, parameters, 0));
  }

  /** Takes a member off the record. Never rejects: what fails is repeated. @param graceMs grace period of its topic. */
  async leave(topic: string, member: string, graceMs: number): Promise<void> {
    await this.settle(this.setDesired(topic, member, null, graceMs));
  }

  /** Forgets a member that is known to be off the record, unless an `enter` or `leave` is under way. */
  forget(topic: string, member: string): void {
    const entry = this.entries.get(`${topic}|${member}`);
    if (entry?.parameters && !entry.isSending) this.drop(entry);
  }

  /** About once a second: repeats what failed, and compares a share of the slots with Redis. Never rejects. */
  async reconcile(): Promise<void> {
    if (this.isReconciling) return;
    this.isReconciling = true;
    this.tick += 1;
    const slots = Array.from({ length: this.options.slots.count }, (_, slot) => slot);
    await this.compare(slots.filter((slot) => this.isDue(slot)));
    this.isReconciling = false;
  }

  /** Compares everything with Redis and settles the differences: after a lapse, or a lost connection. */
  async reconcileAll(): Promise<void> {
    const { count } = this.options.slots;
    await this.compare(Array.from({ length: count }, (_, slot) => slot));
  }

  /**
   * Evicts the members of dead replicas from this replica's share of the slots, and collects what the sweep script
   * answers there. A slot that fails does not hold up the others. Answers nothing while another sweep runs.
   * @param mayEvict whether a replica without a lease is a dead one.
   */
  async sweep(mayEvict: boolean): Promise<string[]> {
    if (this.isSweeping) return [];
    this.isSweeping = true;
    try {
      const { lease, slots } = this.options;
      const share = lease.shareOf(slots.count);
      if (share.length === 0) return [];
      const dead = mayEvict ? await this.dead(share) : { at: 0, replicaIds: [] };
      return await this.sweepSlots(share, dead);
    } catch (error) {
      warnAbout(this.logger, `Nothing of ${this.options.name} was swept`, error);
      return [];
    } finally {
      this.isSweeping = false;
    }
  }

  private setDesired(
    topic: string,
    member: string,
    parameters: readonly Parameter[] | null,
    graceMs: number,
  ): Entry {
    const key = `${topic}|${member}`;
    const past = this.entries.get(key);
    if (past) this.unsettled.delete(past);
    const entry = { topic, member, parameters, graceMs, isSending: false };
    this.entries.set(key, entry);
    this.unsettled.add(entry);
    return entry;
  }

  private async sendJoin(
    entry: Entry,
    parameters: readonly Parameter[],
    script = this.options.scripts.join,
  ): Promise<Joined> {
    const reply = await this.send(entry, script, parameters);
    this.confirm(entry, this.options.isRecorded?.(reply) ?? true);
    this.options.onJoined?.(entry.topic, entry.member, reply);
    return reply;
  }

  private async sendLeave(entry: Entry): Promise<void> {
    await this.send(entry, this.options.scripts.leave, [entry.graceMs]);
    this.confirm(entry, false);
  }

  private async send<Reply>(
    entry: Entry,
    script: RedisScript<Reply>,
    parameters: readonly Parameter[],
  ): Promise<Reply> {
    const { redis, lease } = this.options;
    const { topic, member } = entry;
    entry.isSending = true;
    try {
      return await script.run(
        redis,
        [this.replicasKey(topic)],
        [topic, member, lease.replicaId, ...parameters],
      );
    } finally {
      entry.isSending = false;
    }
  }

  private drop(entry: Entry): void {
    this.unsettled.delete(entry);
    this.entries.delete(`${entry.topic}|${entry.member}`);
  }

  /** @param isRecorded whether Redis has the member on record now. */
  private confirm(entry: Entry, isRecorded: boolean): void {
    const current = this.entries.get(`${entry.topic}|${entry.member}`);
    if (current === entry) {
      if (isRecorded) this.unsettled.delete(entry);
      else this.drop(entry);
    } else if (isRecorded && !current) {
      // Commands of one connection run in order, but for a script that had to be loaded first.
      void this.leave(entry.topic, entry.member, this.options.graceAfterLossMs);
    }
  }

  private async settle(entry: Entry): Promise<void> {
    try {
      if (entry.parameters) await this.sendJoin(entry, entry.parameters);
      else await this.sendLeave(entry);
    } catch {
      // Still unsettled: `tend` repeats it, and says so once for all.
    }
  }

  private async settleAll(): Promise<void> {
    const waiting = [...this.unsettled].filter(({ isSending }) => !isSending);
    for (let start = 0; start < waiting.length; start += CONCURRENCY) {
      const page = waiting.slice(start, start + CONCURRENCY).filter((entry) => this.unsettled.has(entry));
      await Promise.all(page.map((entry) => this.settle(entry)));
      if (page.length > 0 && page.every((entry) => this.unsettled.has(entry))) break; // Redis is away
    }
    const failed = waiting.filter((entry) => this.unsettled.has(entry)).length;
    if (failed > 0) this.logger.warn(`${failed} changes of ${this.options.name} are not recorded yet`);
  }

  private isDue(slot: number): boolean {
    return slot % COMPARE_EVERY_RENEWALS === this.tick % COMPARE_EVERY_RENEWALS;
  }

  /** Compares slots and settles all differences. One at a time: one that is asked for meanwhile follows. */
  private compare(slots: readonly number[]): Promise<void> {
    this.comparisons = this.comparisons.then(() => this.compareNow(slots));
    return this.comparisons;
  }

  private async compareNow(slots: readonly number[]): Promise<void> {
    const due = new Set(slots);
    const held = new Map(slots.map((slot) => [slot, new Map<string, Entry>()]));
    for (const [key, entry] of this.entries) {
      const slot = this.options.slots.of(entry.topic);
      if (due.has(slot) && !this.unsettled.has(entry)) held.get(slot)?.set(key, entry);
    }
    const { redis, lease } = this.options;
    try {
      const calls = slots.map((slot) => this.callIn(slot, [lease.replicaId]));
      const results = await recordedScript.runEach(redis, calls);
      warnAboutFailed(this.logger, `Records of ${this.options.name} were not compared`, results);
      for (const [index, slot] of slots.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled') this.markDifferences(new Set(result.value), held.get(slot));
      }
    } catch (error) {
      warnAbout(this.logger, `Records of ${this.options.name} were not compared`, error);
    }
    await this.settleAll();
  }

  /**
   * Notes the differences in one slot.
   * @param recorded what Redis has on record there.
   * @param held entries that Redis had confirmed before it was asked.
   */
  private markDifferences(recorded: ReadonlySet<string>, held: ReadonlyMap<string, Entry> = new Map()): void {
    for (const [key, entry] of held) {
      if (!recorded.has(key) && this.entries.get(key) === entry) this.unsettled.add(entry);
    }
    for (const key of recorded) {
      if (this.entries.has(key)) continue;
      const bar = key.indexOf('|');
      this.setDesired(key.slice(0, bar), key.slice(bar + 1), null, this.options.graceAfterLossMs);
    }
  }

  /** Replicas whose lease expired; now and then also those that entered and of whose lease nothing is known. */
  private async dead(share: readonly number[]): Promise<DeadReplicas> {
    const { redis, lease, slots } = this.options;
    const expired = await lease.expired();
    const due = share.filter((slot) => this.isDue(slot));
    if (due.length === 0) return expired;
    const joined = await Promise.all(
      due.map((slot) => redis.zrange(directoryKeys(slots.prefix(slot)).replicas, '0', '-1')),
    );
    const others = new Set(joined.flat());
    for (const replicaId of expired.replicaIds) others.delete(replicaId);
    const unknown = await lease.deadAmong([...others]);
    return {
      at: Math.min(expired.at, unknown.at),
      replicaIds: [...expired.replicaIds, ...unknown.replicaIds],
    };
  }

  /** Sweeps in one pipeline a round; a slot of which more is to be evicted goes on in the next round. */
  private async sweepSlots(share: readonly number[], { at, replicaIds }: DeadReplicas): Promise<string[]> {
    const { redis, scripts, graceAfterLossMs } = this.options;
    const results = new Set<string>();
    let slots = share;
    for (let round = 0; round < SWEEP_ROUNDS && slots.length > 0; round += 1) {
      const calls = slots.map((slot) => this.callIn(slot, [graceAfterLossMs, at, ...replicaIds]));
      const swept = await scripts.sweep.runEach(redis, calls);
      warnAboutFailed(this.logger, `Slots of ${this.options.name} were not swept`, swept);
      slots = slots.filter((_, index) => {
        const result = swept[index];
        if (result?.status !== 'fulfilled') return false;
        const [more, ...found] = result.value;
        for (const one of found) results.add(one);
        return more === 1;
      });
    }
    return [...results];
  }

  private callIn(slot: number, parameters: readonly Parameter[]): ScriptCall {
    return { keys: [directoryKeys(this.options.slots.prefix(slot)).replicas], parameters };
  }

  private replicasKey(topic: string): string {
    const { slots } = this.options;
    return directoryKeys(slots.prefix(slots.of(topic))).replicas;
  }
}
