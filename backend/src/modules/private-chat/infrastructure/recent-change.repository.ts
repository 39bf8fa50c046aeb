import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { MAX_REPLICA_LAG_MS, ReadReplicaService } from '../../../platform/database/read-replica.service';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { recentChangeKey } from '../../../platform/redis/redis.keys';
import { REDIS } from '../../../platform/redis/redis.module';

/** How long a conversation stays marked: longer than the maximum lag with which the read replica is used. */
const KEY_TTL_MS = 2 * MAX_REPLICA_LAG_MS;

/**
 * Marks in Redis the conversations in which a stored message was changed a few seconds ago. Such conversations are not
 * read from the read replica.
 */
@Injectable()
export class RecentChangeRepository {
  private readonly logger = new Logger(RecentChangeRepository.name);

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly replica: ReadReplicaService,
  ) {}

  /** Records a change. Called after its commit and before it is published. Never rejects. */
  async record(userId: number, friendId: number): Promise<void> {
    if (!this.replica.isConfigured) return;
    try {
      await this.redis.set(recentChangeKey(userId, friendId), '1', 'PX', KEY_TTL_MS);
    } catch (error) {
      // The change is stored; at worst, a read from the replica misses it for a moment.
      logWarning(this.logger, 'A change of a private message was not marked', error);
    }
  }

  /** Whether a message of the two may have changed recently; true also when this is unknown. */
  async mayHaveChanged(userId: number, friendId: number): Promise<boolean> {
    // Without a read replica, changes are not recorded, and all reads are made from the primary.
    if (!this.replica.isConfigured) return true;
    return this.redis.exists(recentChangeKey(userId, friendId)).then(
      (count) => count > 0,
      () => true,
    );
  }
}
