import type { DeadReplicas, ReplicaLeaseService } from '../platform/realtime/replica-lease.service';

/**
 * A fake of the lease by which a replica counts as alive. The replica is alive and does all periodic clean-up, which is
 * called sweeping, itself. By default no other replica is dead.
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
