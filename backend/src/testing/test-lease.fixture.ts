import type { DeadReplicas, ReplicaLeaseService } from '../platform/realtime/replica-lease.service';

/**
 * A fake of the lease that shows that a replica is alive. The replica may sweep (clean up periodically), and all parts
 * of a sweep are assigned to it. By default no replica is dead.
 */
export const createFakeLease = (
  replicaId: string,
  findDead: () => DeadReplicas = () => ({ foundAtMs: 0, replicaIds: [] }),
): ReplicaLeaseService =>
  ({
    replicaId,
    maySweep: true,
    getAssignedParts: (count) => Array.from({ length: count }, (_, part) => part),
    findExpired: async () => findDead(),
    findDeadAmong: async (replicaIds) => {
      const dead = findDead();
      return { ...dead, replicaIds: replicaIds.filter((id) => dead.replicaIds.includes(id)) };
    },
  }) satisfies Partial<ReplicaLeaseService> as unknown as ReplicaLeaseService;
