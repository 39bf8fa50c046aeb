import { Logger } from '@nestjs/common';
import { logWarning, logRejections } from '../observability/warn-about.functions';
import { RedisScript, type ScriptCall } from '../redis/redis-script.model';
import { directoryKeys } from '../redis/redis.keys';
import type { DeadReplicas } from './replica-lease.service';
import { socketDirectoryLua } from './socket-directory.scripts';
import type { Parameter, SocketDirectoryOptions } from './socket-directory.types';

/** Maximum number of concurrent calls while differences between the memory and Redis are settled. */
const MAX_CONCURRENT_CALLS = 200;
/** Each slot is compared with Redis once in this many calls of `reconcile`, i.e. about every 30 s. */
const COMPARE_EVERY_ROUNDS = 30;
/** Maximum number of rounds in one sweep; each evicts a bounded number of members per slot. */
const MAX_SWEEP_ROUNDS = 100;

/**
 * Returns the records of a replica in one slot. If there are any, updates the replica's time in the sorted set
 * `replicas`: the call proves that the replica is alive, so a sweep that found it dead earlier must not evict it.
 * `prefix`, the prefix of the slot's keys, and `now()` come from `socketDirectoryLua`. KEYS: replicas. ARGV: replica.
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
  readonly topic: string;
  readonly member: string;
  /** Arguments for the `join` script; null if the member has left. */
  readonly parameters: readonly Parameter[] | null;
  /** Grace period of the topic, in ms, for the `leave` script; 0 in an entry for the `join` script. */
  readonly graceMs: number;
  /** Whether a call for this entry is in progress. */
  isSending: boolean;
}

/**
 * Records in Redis which replica holds which members of which topics. A topic is a chat or a user, and its members are
 * sockets. In the match queue, a topic is a user and its members are the replicas that hold sockets of the user. The
 * topics are divided into slots (see `SocketDirectoryOptions`); each call runs one script in the slot of its topic. A
 * topic can have a grace period: the time in which a new member may join after the last one has left, before, for
 * example, the user counts as offline.
 *
 * Keeps the desired records of this replica in memory and settles differences: a failed call is repeated until Redis
 * has confirmed it, and the records in Redis are compared regularly (docs/decisions/0020-one-socket-directory.md).
 *
 * @template Joined reply of the `join` script.
 */
export class SocketDirectoryRepository<Joined> {
  private readonly logger = new Logger(SocketDirectoryRepository.name);
  /** By `<topic>|<member>`. */
  private readonly entries = new Map<string, Entry>();
  /** Entries that Redis has not confirmed. */
  private readonly unsettled = new Set<Entry>();
  private isReconciling = false;
  private isSweeping = false;
  /** Resolves when all queued comparisons are done. */
  private comparisons: Promise<void> = Promise.resolve();
  private reconcileCount = 0;

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
    return this.sendJoin(this.setDesired(topic, member, parameters), parameters);
  }

  /**
   * Like `join`, but with a script that also does other work. Its first arguments are those of the `join` script.
   * Repetitions after a failure use the `join` script, without parameters, so that the other work is not repeated.
   * @throws errors of Redis; the member is then recorded later, unless `leave` is called.
   */
  async joinWith(
    script: RedisScript<Joined>,
    topic: string,
    member: string,
    parameters: readonly Parameter[],
  ): Promise<Joined> {
    const entry = this.setDesired(topic, member, []); // `[]`: the parameters of repetitions
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

  /** Forgets a member that Redis no longer has, unless a `join` or `leave` is in progress. */
  forget(topic: string, member: string): void {
    const entry = this.entries.get(`${topic}|${member}`);
    if (entry?.parameters && !entry.isSending) this.deleteEntry(entry);
  }

  /** Repeats failed calls and compares a share of the slots with Redis; call it about once a second. Never rejects. */
  async reconcile(): Promise<void> {
    if (this.isReconciling) return;
    this.isReconciling = true;
    try {
      this.reconcileCount += 1;
      const slots = Array.from({ length: this.options.slots.count }, (_, slot) => slot);
      await this.enqueueComparison(slots.filter((slot) => this.isDue(slot)));
    } finally {
      this.isReconciling = false;
    }
  }

  /**
   * Compares all slots with Redis and settles the differences, e.g. after an expired lease or a lost connection. Never
   * rejects.
   */
  async reconcileAll(): Promise<void> {
    const { count } = this.options.slots;
    await this.enqueueComparison(Array.from({ length: count }, (_, slot) => slot));
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
      const deadReplicas = mayEvict ? await this.findDeadReplicas(share) : { foundAtMs: 0, replicaIds: [] };
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
    const key = `${topic}|${member}`;
    const previous = this.entries.get(key);
    if (previous) this.unsettled.delete(previous);
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
    this.applyReply(entry, this.options.isRecorded?.(reply) ?? true);
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
    this.entries.delete(`${entry.topic}|${entry.member}`);
  }

  /**
   * Updates the entry after a successful call.
   * @param isRecorded whether Redis now has a record of the member: never after `leave`, and not after every `join`
   * (see `SocketDirectoryOptions.isRecorded`).
   */
  private applyReply(entry: Entry, isRecorded: boolean): void {
    const current = this.entries.get(`${entry.topic}|${entry.member}`);
    if (current === entry) {
      if (isRecorded) this.unsettled.delete(entry);
      else this.deleteEntry(entry);
    } else if (isRecorded && !current) {
      // The member has left, but Redis executed this join after the `leave`. This happens when Redis does not have the
      // script loaded (NOSCRIPT): `RedisScript` then sends the join again, with the source of the script.
      void this.leave(entry.topic, entry.member, this.options.graceAfterLossMs);
    }
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
    const waitingEntries = [...this.unsettled].filter(({ isSending }) => !isSending);
    for (let start = 0; start < waitingEntries.length; start += MAX_CONCURRENT_CALLS) {
      // An entry may have been replaced while the earlier batches were sent.
      const batch = waitingEntries
        .slice(start, start + MAX_CONCURRENT_CALLS)
        .filter((entry) => this.unsettled.has(entry));
      await Promise.all(batch.map((entry) => this.settle(entry)));
      // If all calls of a batch failed, Redis is probably unavailable. `reconcile` makes the other calls later.
      if (batch.length > 0 && batch.every((entry) => this.unsettled.has(entry))) break;
    }
    const failed = waitingEntries.filter((entry) => this.unsettled.has(entry)).length;
    if (failed > 0) this.logger.warn(`${failed} changes of ${this.options.name} are not recorded yet`);
  }

  /** Whether the current round of `reconcile` compares the slot. */
  private isDue(slot: number): boolean {
    return slot % COMPARE_EVERY_ROUNDS === this.reconcileCount % COMPARE_EVERY_ROUNDS;
  }

  /** Queues a comparison with Redis, since comparisons run one at a time. Resolves when it is done. */
  private enqueueComparison(slots: readonly number[]): Promise<void> {
    this.comparisons = this.comparisons.then(() => this.compareWithRedis(slots));
    return this.comparisons;
  }

  /** Compares the slots with Redis. Then settles all differences, and repeats the failed calls of all slots. */
  private async compareWithRedis(slots: readonly number[]): Promise<void> {
    const confirmedBySlot = new Map(slots.map((slot) => [slot, new Map<string, Entry>()]));
    for (const [key, entry] of this.entries) {
      const slot = this.options.slots.findSlot(entry.topic);
      if (!this.unsettled.has(entry)) confirmedBySlot.get(slot)?.set(key, entry);
    }
    const { redis, lease } = this.options;
    try {
      const calls = slots.map((slot) => this.buildCall(slot, [lease.replicaId]));
      const results = await readRecordsScript.runEach(redis, calls);
      logRejections(this.logger, `Records of ${this.options.name} were not compared`, results);
      for (const [index, slot] of slots.entries()) {
        const result = results[index];
        if (result?.status === 'fulfilled')
          this.markDifferences(new Set(result.value), confirmedBySlot.get(slot));
      }
    } catch (error) {
      logWarning(this.logger, `Records of ${this.options.name} were not compared`, error);
    }
    await this.settleAll();
  }

  /**
   * Marks the differences in one slot as unsettled.
   * @param recorded this replica's records in Redis, as `<topic>|<member>`.
   * @param confirmed entries that Redis had confirmed before the records were read.
   */
  private markDifferences(
    recorded: ReadonlySet<string>,
    confirmed: ReadonlyMap<string, Entry> = new Map(),
  ): void {
    for (const [key, entry] of confirmed) {
      if (!recorded.has(key) && this.entries.get(key) === entry) this.unsettled.add(entry);
    }
    for (const key of recorded) {
      if (this.entries.has(key)) continue;
      const separator = key.indexOf('|');
      this.setDesired(key.slice(0, separator), key.slice(separator + 1), null, this.options.graceAfterLossMs);
    }
  }

  /** Returns replicas whose lease expired recently, and other replicas with records in a due slot and no lease. */
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
      // A sweep evicts a replica only if it recorded nothing after this time, so the earlier time is safe.
      foundAtMs: Math.min(expired.foundAtMs, withoutLease.foundAtMs),
      replicaIds: [...expired.replicaIds, ...withoutLease.replicaIds],
    };
  }

  /** Sweeps the slots in one pipeline per round. Slots with more members to evict are swept again in the next round. */
  private async sweepSlots(
    share: readonly number[],
    { foundAtMs, replicaIds }: DeadReplicas,
  ): Promise<string[]> {
    const { redis, scripts, graceAfterLossMs } = this.options;
    const results = new Set<string>();
    let slots = share;
    for (let round = 0; round < MAX_SWEEP_ROUNDS && slots.length > 0; round += 1) {
      const calls = slots.map((slot) => this.buildCall(slot, [graceAfterLossMs, foundAtMs, ...replicaIds]));
      const swept = await scripts.sweep.runEach(redis, calls);
      logRejections(this.logger, `Slots of ${this.options.name} were not swept`, swept);
      slots = slots.filter((_, index) => {
        const result = swept[index];
        if (result?.status !== 'fulfilled') return false;
        const [more, ...slotResults] = result.value;
        for (const slotResult of slotResults) results.add(slotResult);
        return more === 1; // another call is needed for this slot
      });
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
