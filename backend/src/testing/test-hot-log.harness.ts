import { ModulesContainer } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import type { Environment } from '../config/environment.config';
import { ChatLogRepository } from '../platform/hot-log/chat-log.repository';
import { ChatPresenceService, type PartnerState } from '../platform/hot-log/chat-presence.service';
import type { DeadReplicas } from '../platform/realtime/replica-lease.service';
import { connectRedis, type RedisClient } from '../platform/redis/redis-connection.factory';
import { buildSessionId, findShard, chatKeys } from '../platform/redis/redis.keys';
import { createFakeLease } from './test-lease.fixture';
import { createTestRedis, subscribeToChannels, type TestRedis } from './test-redis.harness';
import { ProcessEventsService } from '../platform/process-events/process-events.service';

export interface TestHotLog {
  store: TestRedis;
  /** A session id, new for each test. */
  sessionId: string;
  /** One log and one presence service per Redis client. */
  clients: readonly RedisClient[];
  logs: readonly ChatLogRepository[];
  /** The presence service of a replica, on the first client. */
  getPresence(replicaId: string): ChatPresenceService;
  presence: ChatPresenceService;
  /** The dead replicas, as sweeps find them; initially none. */
  dead: DeadReplicas;
  /** Messages of the session by replica channel: `r1`, `r2` and `r3`. */
  messagesByChannel: ReadonlyMap<string, string[]>;
  /** The messages on the channel of `r1`. */
  messages: string[];
  getKeys(): ReturnType<typeof chatKeys>;
  enter(replicaId: string, userId: number, socketId?: string, showsChat?: boolean): Promise<PartnerState>;
}

/** The hot log on a real Redis for the tests of a file, with a new session and subscribed replicas for each test. */
export const useTestHotLog = (): TestHotLog => {
  let subscription: { close(): void };
  const hotLog = {} as TestHotLog & { clients: RedisClient[] };
  hotLog.getKeys = () => chatKeys(findShard(hotLog.sessionId));
  let presences: Map<string, ChatPresenceService>;
  const environment = { GRACE_AFTER_CLEAN_CLOSE_MS: 1_000, GRACE_AFTER_LOSS_MS: 1_000 } as Environment;
  hotLog.getPresence = (replicaId) => {
    const known = presences.get(replicaId);
    if (known) return known;
    const lease = createFakeLease(replicaId, () => hotLog.dead);
    const presence = new ChatPresenceService(hotLog.clients[0]!, lease, environment);
    presences.set(replicaId, presence);
    return presence;
  };
  hotLog.enter = (replicaId, userId, id = `s-${userId}`, showsChat = true) =>
    hotLog.getPresence(replicaId).join(hotLog.sessionId, { id, userId, partnerId: 3 - userId, showsChat });

  beforeAll(async () => {
    hotLog.store = await createTestRedis();
    hotLog.clients = [0, 1, 2].map(() =>
      connectRedis({ REDIS_URL: hotLog.store.url }, { enableOfflineQueue: true, commandTimeout: 5_000 }),
    );
    hotLog.logs = hotLog.clients.map(
      (client) => new ChatLogRepository(client, new ProcessEventsService(new ModulesContainer())),
    );
  });
  beforeEach(async () => {
    hotLog.sessionId = buildSessionId(randomUUID());
    hotLog.messages = [];
    hotLog.dead = { foundAtMs: 0, replicaIds: [] };
    presences = new Map();
    hotLog.presence = hotLog.getPresence('r1');
    const messagesByChannel = new Map([
      [hotLog.getKeys().channel('r1'), hotLog.messages],
      [hotLog.getKeys().channel('r2'), []],
      [hotLog.getKeys().channel('r3'), []],
    ]);
    hotLog.messagesByChannel = messagesByChannel;
    const { store } = hotLog;
    subscription = await subscribeToChannels(
      store.url,
      store.redis,
      [...messagesByChannel.keys()],
      (channel, message) => {
        expect(message.startsWith(`${hotLog.sessionId} `)).toBe(true);
        messagesByChannel.get(channel)?.push(message.slice(hotLog.sessionId.length + 1));
      },
    );
  });
  afterEach(() => subscription.close());
  afterAll(async () => {
    for (const client of hotLog.clients) client.disconnect();
    await hotLog.store.close();
  });
  return hotLog;
};
