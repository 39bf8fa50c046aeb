import { Logger } from '@nestjs/common';
import { logWarning, logRejections } from '../observability/warn-about.functions';
import { RedisScript, type ScriptCall } from '../redis/redis-script.model';
import { directoryKeys } from '../redis/redis.keys';
import type { DeadReplicas } from './replica-lease.service';
import { socketDirectoryLua } from './socket-directory.scripts';
import type { Parameter, SocketDirectoryOptions } from './socket-directory.types';

/** Maximum number of concurrent calls while differences between the memory and Redis are settled. */
const MAX_CONCURRENT_CALLS = 200;
/** A round is a call of `reconcile`, about once a second. Each slot is compared with Redis once in 30 rounds. */
const COMPARE_EVERY_ROUNDS = 30;
/** Maximum number of calls per slot in one sweep. Each call evicts a bounded number of members. */
const MAX_SWEEP_CALLS = 100;

const NO_DEAD_REPLICAS: DeadReplicas = { foundAtMs: 0, replicaIds: [] };

/**
 * Returns the records of a replica in one slot. If there are any, updates the replica's time in the sorted set
 * `replicas`, which proves that the replica is alive: a sweep that found it dead earlier does not evict it. `prefix`,
 * the prefix of the slot's keys, and `now()` come from `socketDirectoryLua`. KEYS: replicas. ARGV: replica.
 */
const readRecordsScript = new RedisScript<string[]>(`${socketDirectoryLua}
local replica = ARGV[1]
local recorded = redis.call('SMEMBERS', prefix .. 'replica:' .. replica)
if #recorded > 0 then redis.call('ZADD', prefix .. 'replicas', now(), replica) end
return recorded
`);

/**
 * The record that one member of this replica should have in Redis. A change of the record creates a new entry, so a
 * late reply to a call for the old entry does not confirm the new one.
 */
interface Entry {
  readonly key: string;
  readonly topic: string;
  readonly member: string;
  /** Arguments for the `join` script; null if the member has left. */
  readonly parameters: readonly Parameter[] | null;
  /** Grace period of the topic, in ms, for the `leave` script. Unused if the member has not left. */
  readonly graceMs: number;
  /** Whether a call for this entry is in progress. */
  isSending: boolean;
}

/** The key of an entry, and the form of a record in Redis. Topics contain no `|`. */
const toKey = (topic: string, member: string): string => `${topic}|${member}`;

/**
 * Records in Redis the members of topics, and which replica holds each member. A topic is a chat or a user, and its
 * members are sockets. Only in the match queue, the members of a user are the replicas that hold sockets of the user.
 * The topics are divided into slots (see `SocketDirectoryOptions`); each call runs one script in the slot of its topic.
 * A topic can have a grace period: when its last member has left, another one may join in this time before, for
 * example, the user counts as offline.
 *
 * Keeps the desired records of this replica in memory and settles differences: a failed call is repeated until Redis
 * has confirmed it, and the records in Redis are compared regularly (docs/decisions/0020-one-socket-directory.md).
 *
 * @template Joined reply of the `join` script.
 */
export class SocketDirectoryRepository<Joined> {
  private readonly logger = new Logger(SocketDirectoryRepository.name);
  private readonly entries = new Map<string, Entry>();
  /** Entries that Redis has not confirmed. */
  private readonly unsettled = new Set<Entry>();
  private isReconciling = false;
  private isSweeping = false;
  /** Resolves when all queued comparisons are done. */
  private comparisons: Promise<void> = Promise.resolve();
  /** Number of the current round. */
  private round = 0;

  constructor(private readonly options: SocketDirectoryOptions<Joined>) {}

  /** Number of entries that Redis has not confirmed yet. */
  get unsettledCount(): number {
    return this.unsettled.size;
  }

  /**
   * Records a member, or new parameters of a recorded one.
   * @throws errors of Redis; the member is then recorded later, unless `leave` is called.
   */
  async join(topic: string, member: string, parameters: readonly Parameter[]): Promise<Joined> {
    const entry = this.setDesired(topic, member, parameters);
    return this.sendJoin(entry, parameters);
  }

  /**
   * Like `join`, but with a script that also does other work. Its first arguments are those of the `join` script. After
   * a failure, the `join` script is called, without parameters: the other work is not repeated.
   * @throws errors of Redis; the member is then recorded later, unless `leave` is called.
   */
  async joinWith(
    script: RedisScript<Joined>,
    topic: string,
    member: string,
    parameters: readonly Parameter[],
  ): Promise<Joined> {
    const entry = this.setDesired(topic, member, []); // `[]`: the parameters after a failure
    return this.sendJoin(entry, parameters, script);
  }

  /** Records a member, for callers that do not need the reply. Never rejects: a failed call is repeated. */
  async record(topic: string, member: string, parameters: readonly Parameter[]): Promise<void> {
    await this.settle(this.setDesired(topic, member, parameters));
  }

  /** Removes a member. Never rejects: a failed call is repeated. @param graceMs grace period of the topic, in ms. */
  async leave(topic: string, member: string, graceMs: number): Promise<void> {
    await this.settle(this.setDesired(topic, member, null, graceMs));
  }

  /** Forgets a member that Redis no longer has. Does nothing while a `join` is in progress, and after `leave`. */
  forget(topic: string, member: string): void {
    const entry = this.entries.get(toKey(topic, member));
    if (entry?.parameters && !entry.isSending) this.deleteEntry(entry);
  }

  /** Repeats failed calls and compares a share of the slots with Redis; call it about once a second. Never rejects. */
  async reconcile(): Promise<void> {
    if (this.isReconciling) return;
    this.isReconciling = true;
    try {
      this.round += 1;
      await this.enqueueComparison(this.listSlots().filter((slot) => this.isDue(slot)));
    } finally {
      this.isReconciling = false;
    }
  }

  /**
   * Compares all slots with Redis and settles the differences, e.g. after an expired lease or a lost connection. Never
   * rejects.
   */
  async reconcileAll(): Promise<void> {
    await this.enqueueComparison(this.listSlots());
  }

  /**
   * Evicts the members of dead replicas from this replica's share of the slots. A failing slot does not affect the
   * others. Never rejects.
   * @param mayEvict whether a replica without a lease may be considered dead; otherwise the sweep evicts no member.
   * @returns the results of the sweep scripts in these slots, such as users who are offline now; none while another
   * sweep is running.
   */
  async sweep(mayEvict: boolean): Promise<string[]> {
    if (this.isSweeping) return [];
    this.isSweeping = true;
    try {
      const { lease, slots } = this.options;
      const share = lease.getAssignedParts(slots.count);
      if (share.length === 0) return [];
      // The sweep script also does other work, such as ending grace periods, so it runs in any case.
      const deadReplicas = mayEvict ? await this.findDeadReplicas(share) : NO_DEAD_REPLICAS;
      return await this.sweepSlots(share, deadReplicas);
    } catch (error) {
      logWarning(this.logger, `Nothing of ${this.options.name} was swept`, error);
      return [];
    } finally {
      this.isSweeping = false;
    }
  }

  /** Replaces the desired record of a member; the new entry is unsettled until Redis has confirmed it. */
  private setDesired(
    topic: string,
    member: string,
    parameters: readonly Parameter[] | null,
    graceMs = 0,
  ): Entry {
    const key = toKey(topic, member);
    const previous = this.entries.get(key);
    if (previous) this.unsettled.delete(previous);
    const entry = { key, topic, member, parameters, graceMs, isSending: false };
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
    const isRecorded = this.options.isRecorded?.(reply) ?? true;
    this.applyReply(entry, isRecorded);
    this.options.onJoined?.(entry.topic, entry.member, reply);
    return reply;
  }

  private async sendLeave(entry: Entry): Promise<void> {
    await this.send(entry, this.options.scripts.leave, [entry.graceMs]);
    this.applyReply(entry, false);
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
        [this.getReplicasKey(topic)],
        [topic, member, lease.replicaId, ...parameters],
      );
    } finally {
      entry.isSending = false;
    }
  }

  private deleteEntry(entry: Entry): void {
    this.unsettled.delete(entry);
    this.entries.delete(entry.key);
  }

  /**
   * Updates the entry after a successful call.
   * @param isRecorded whether Redis now has a record of the member: never after `leave`, and not after every `join`
   * (see `SocketDirectoryOptions.isRecorded`).
   */
  private applyReply(entry: Entry, isRecorded: boolean): void {
    const current = this.entries.get(entry.key);
    if (current === entry) {
      if (isRecorded) this.unsettled.delete(entry);
      else this.deleteEntry(entry);
      return;
    }
    const isRecordedAfterLeave = isRecorded && current === undefined;
    // Redis executes a `join` after the `leave` when it does not have the script loaded (NOSCRIPT): `RedisScript` then
    // sends the `join` again, with the source of the script.
    if (isRecordedAfterLeave) void this.leave(entry.topic, entry.member, this.options.graceAfterLossMs);
  }

  /** Makes the call that records or removes the member. Never rejects. */
  private async settle(entry: Entry): Promise<void> {
    try {
      if (entry.parameters) await this.sendJoin(entry, entry.parameters);
      else await this.sendLeave(entry);
    } catch {
      // The entry is still unsettled: `reconcile` repeats the call and logs the number of failures.
    }
  }

  /** Makes the calls of all unsettled entries for which none is in progress. */
  private async settleAll(): Promise<void> {
    const isUnsettled = (entry: Entry): boolean => this.unsettled.has(entry);
    const waitingEntries = [...this.unsettled].filter(({ isSending }) => !isSending);
    for (let start = 0; start < waitingEntries.length; start += MAX_CONCURRENT_CALLS) {
      // An entry may have been replaced while the earlier batches were sent.
      const batch = waitingEntries.slice(start, start + MAX_CONCURRENT_CALLS).filter(isUnsettled);
      await Promise.all(batch.map((entry) => this.settle(entry)));
      const haveAllFailed = batch.length > 0 && batch.every(isUnsettled);
      if (haveAllFailed) break; // Redis is probably unavailable; `reconcile` makes the other calls later
    }
    const failed = waitingEntries.filter(isUnsettled).length;
    if (failed > 0) this.logger.warn(`${failed} changes of ${this.options.name} are not recorded yet`);
  }

  private listSlots(): number[] {
    return Array.from({ length: this.options.slots.count }, (_, slot) => slot);
  }

  /** Whether the slot is compared in the current round. */
  private isDue(slot: number): boolean {
    return slot % COMPARE_EVERY_ROUNDS === this.round % COMPARE_EVERY_ROUNDS;
  }

  /** Queues a comparison with Redis, since comparisons run one at a time. Resolves when it is done. */
  private enqueueComparison(slots: readonly number[]): Promise<void> {
    this.comparisons = this.comparisons.then(() => this.compareWithRedis(slots));
    return this.comparisons;
  }

  /** Compares the slots with Redis. Then settles all differences, and repeats the failed calls of all slots. */
  private async compareWithRedis(slots: readonly number[]): Promise<void> {
    // Collected before the records are read: an entry that is confirmed later may be missing from them.
    const confirmedBySlot = this.collectConfirmed(slots);
    const { redis, lease } = this.options;
    try {
      const calls = slots.map((slot) => this.buildCall(slot, [lease.replicaId]));
      const results = await readRecordsScript.runEach(redis, calls);
      logRejections(this.logger, `Records of ${this.options.name} were not compared`, results);
      for (const [index, slot] of slots.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled')
          this.markDifferences(new Set(result.value), confirmedBySlot.get(slot) ?? []);
      }
    } catch (error) {
      logWarning(this.logger, `Records of ${this.options.name} were not compared`, error);
    }
    await this.settleAll();
  }

  /** The entries in the slots that Redis has confirmed, by slot. */
  private collectConfirmed(slots: readonly number[]): ReadonlyMap<number, readonly Entry[]> {
    const confirmedBySlot = new Map(slots.map((slot): [number, Entry[]] => [slot, []]));
    for (const entry of this.entries.values()) {
      const slot = this.options.slots.findSlot(entry.topic);
      if (!this.unsettled.has(entry)) confirmedBySlot.get(slot)?.push(entry);
    }
    return confirmedBySlot;
  }

  /**
   * Marks the differences in one slot as unsettled.
   * @param recorded the keys of this replica's records in Redis.
   * @param confirmed entries that Redis had confirmed before the records were read.
   */
  private markDifferences(recorded: ReadonlySet<string>, confirmed: readonly Entry[]): void {
    for (const entry of confirmed) {
      const isCurrent = this.entries.get(entry.key) === entry;
      if (isCurrent && !recorded.has(entry.key)) this.unsettled.add(entry);
    }
    for (const key of recorded) {
      if (this.entries.has(key)) continue;
      const separator = key.indexOf('|');
      this.setDesired(key.slice(0, separator), key.slice(separator + 1), null, this.options.graceAfterLossMs);
    }
  }

  /** Returns the replicas whose lease expired recently, and those with records in a due slot but without a lease. */
  private async findDeadReplicas(share: readonly number[]): Promise<DeadReplicas> {
    const { redis, lease, slots } = this.options;
    const expired = await lease.findExpired();
    const dueSlots = share.filter((slot) => this.isDue(slot));
    if (dueSlots.length === 0) return expired;
    const recordedReplicas = await Promise.all(
      dueSlots.map((slot) => redis.zrange(directoryKeys(slots.getPrefix(slot)).replicas, '0', '-1')),
    );
    const otherReplicas = new Set(recordedReplicas.flat());
    for (const replicaId of expired.replicaIds) otherReplicas.delete(replicaId);
    const withoutLease = await lease.findDeadAmong([...otherReplicas]);
    return {
      // A sweep spares a replica that has recorded something since this time, so the earlier time evicts no live one.
      foundAtMs: Math.min(expired.foundAtMs, withoutLease.foundAtMs),
      replicaIds: [...expired.replicaIds, ...withoutLease.replicaIds],
    };
  }

  /** Sweeps the slots in one pipeline, and again those with more members to evict. @returns the results of all slots */
  private async sweepSlots(
    share: readonly number[],
    { foundAtMs, replicaIds }: DeadReplicas,
  ): Promise<string[]> {
    const { redis, scripts, graceAfterLossMs } = this.options;
    const results = new Set<string>();
    let slots = share;
    for (let count = 0; count < MAX_SWEEP_CALLS && slots.length > 0; count += 1) {
      const calls = slots.map((slot) => this.buildCall(slot, [graceAfterLossMs, foundAtMs, ...replicaIds]));
      const replies = await scripts.sweep.runEach(redis, calls);
      logRejections(this.logger, `Slots of ${this.options.name} were not swept`, replies);
      const unfinishedSlots: number[] = [];
      for (const [index, slot] of slots.entries()) {
        const reply = replies[index];
        if (reply?.status !== 'fulfilled') continue; // left to the next sweep
        const [needsAnotherCall, ...slotResults] = reply.value;
        for (const result of slotResults) results.add(result);
        if (needsAnotherCall === 1) unfinishedSlots.push(slot);
      }
      slots = unfinishedSlots;
    }
    return [...results];
  }

  private buildCall(slot: number, parameters: readonly Parameter[]): ScriptCall {
    return { keys: [directoryKeys(this.options.slots.getPrefix(slot)).replicas], parameters };
  }

  private getReplicasKey(topic: string): string {
    const { slots } = this.options;
    return directoryKeys(slots.getPrefix(slots.findSlot(topic))).replicas;
  }
}
