import type { RedisScript } from '../redis/redis-script.model';
import type { ReplicaLeaseService } from './replica-lease.service';
import type { RedisClient } from '../redis/redis-connection.factory';

/** An argument of a directory script, in addition to topic, member and replica. */
export type Parameter = string | number;

/**
 * A socket directory records in Redis the members (sockets, or replicas) of each topic (a chat, or a user), and the
 * replica (server process) that holds each member.
 * @template Joined reply of the `join` script.
 */
export interface SocketDirectoryOptions<Joined> {
  /** Name of the directory in log messages. */
  name: string;
  redis: RedisClient;
  /** `getAssignedParts` returns the slots that this replica sweeps. */
  lease: Pick<ReplicaLeaseService, 'replicaId' | 'getAssignedParts' | 'findExpired' | 'findDeadAmong'>;
  /** Parts of the directory. All keys of a slot have the same hash tag, so a Redis cluster can spread the slots. */
  slots: {
    count: number;
    /** Returns the prefix of a slot's keys: a hash tag and a colon. */
    getPrefix(slot: number): string;
    /** Returns the slot of a topic. */
    findSlot(topic: string): number;
  };
  scripts: {
    /** KEYS[1]: the slot's sorted set `replicas`. ARGV: topic, member, replica, then further parameters. Idempotent. */
    join: RedisScript<Joined>;
    /** KEYS[1]: as for `join`. ARGV: topic, member, replica, grace period in ms. Idempotent. */
    leave: RedisScript<unknown>;
    /**
     * Evicts members of dead replicas. KEYS[1]: as for `join`. ARGV: grace period in ms, then the arguments of
     * `deadReplicas` (see `socketDirectoryLua`). Returns first whether another call is needed (1 or 0), then the
     * results of this call, such as the users who went offline.
     */
    sweep: RedisScript<[more: 0 | 1, ...results: string[]]>;
  };
  /**
   * Grace period in ms after a member is removed because its replica has died or has lost it. A topic without members
   * counts as empty (a user as offline, for example) only after this time.
   */
  graceAfterLossMs: number;
  /**
   * Whether a `join` with this reply has recorded the member; defaults to true. The match queue, for example, has
   * records only for users who are searching, or are matched for a chat that has not started.
   */
  isRecorded?(reply: Joined): boolean;
  /** Called with the reply to every `join`, including later repetitions. */
  onJoined?(topic: string, member: string, reply: Joined): void;
}
