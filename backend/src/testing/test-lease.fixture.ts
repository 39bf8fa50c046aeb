import type { DeadReplicas, ReplicaLeaseService } from '../platform/realtime/replica-lease.service';

/** A fake lease of a replica that is alive and sweeps everything. */
export const createFakeLease = (
  replicaId: string,
  dead: () => DeadReplicas = () => ({ foundAtMs: 0, replicaIds: [] }),
): ReplicaLeaseService =>
  ({
    replicaId,
    maySweep: true,
    getAssignedParts: (count) => Array.from({ length: count }, (_, part) => part),
    findExpired: async () => dead(),
    findDeadAmong: async (replicaIds) => {
      const known = dead();
      return { ...known, replicaIds: replicaIds.filter((id) => known.replicaIds.includes(id)) };
    },
  }) satisfies Partial<ReplicaLeaseService> as unknown as ReplicaLeaseService;
