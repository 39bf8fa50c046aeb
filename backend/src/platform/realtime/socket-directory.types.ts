import type { RedisScript } from '../redis/redis-script.model';
import type { ReplicaLeaseService } from './replica-lease.service';
import type { RedisClient } from '../redis/redis-connection.factory';

/** An argument of a directory script, in addition to topic, member and replica. */
export type Parameter = string | number;

/** @template Joined reply of the `join` script. */
export interface SocketDirectoryOptions<Joined> {
  /** Name of the directory in log messages. */
  name: string;
  redis: RedisClient;
  lease: Pick<ReplicaLeaseService, 'replicaId' | 'getAssignedParts' | 'findExpired' | 'findDeadAmong'>;
  /** The directory is divided into slots. Each has its own hash tag, so a Redis cluster can spread them. */
  slots: {
    count: number;
    /** Returns the prefix of a slot's keys: a hash tag and a colon. */
    getPrefix(slot: number): string;
    /** Returns the slot of a topic. */
    findSlot(topic: string): number;
  };
  scripts: {
    /** KEYS: replicas. ARGV: topic, member, replica, then the parameters of the entry. Idempotent. */
    join: RedisScript<Joined>;
    /** KEYS: replicas. ARGV: topic, member, replica, grace period in ms. Idempotent. */
    leave: RedisScript<unknown>;
    /**
     * KEYS: replicas. ARGV: grace period in ms, then the arguments of `deadReplicas` (see `socketDirectoryLua`).
     * Returns 1 if another call is needed, else 0, and then its results.
     */
    sweep: RedisScript<[more: 0 | 1, ...results: string[]]>;
  };
  /** Grace period in ms of a topic whose member is removed because its replica died or no longer knows it. */
  graceAfterLossMs: number;
  /** Whether a `join` with this reply has recorded the member; defaults to true. */
  isRecorded?(reply: Joined): boolean;
  /** Called with the reply to every `join`, including later repetitions. */
  onJoined?(topic: string, member: string, reply: Joined): void;
}
