import { ModulesContainer } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import type { Environment } from '../config/environment.config';
import { ChatLogRepository } from '../platform/hot-log/chat-log.repository';
import { ChatPresenceService, type PartnerState } from '../platform/hot-log/chat-presence.service';
import { ProcessEventsService } from '../platform/process-events/process-events.service';
import type { DeadReplicas } from '../platform/realtime/replica-lease.service';
import { connectRedis, type RedisClient } from '../platform/redis/redis-connection.factory';
import { buildSessionId, findShard, chatKeys } from '../platform/redis/redis.keys';
import { createFakeLease } from './test-lease.fixture';
import { createTestRedis, subscribeToChannels, type TestRedis } from './test-redis.harness';

/**
 * Access to the hot log, which is the part of Redis with the streams of live chats and the presence of their users.
 * Hooks set most properties. Read them only in tests and in later hooks: destructured outside, they are undefined.
 */
export interface TestHotLog {
  store: TestRedis;
  /** The chat of the users 1 and 2; a new one for each test. */
  sessionId: string;
  /** Three connections, so that tests can write to the log through several at the same time. */
  clients: readonly RedisClient[];
  /** One repository for each of the clients. */
  logs: readonly ChatLogRepository[];
  /** The presence service of a replica. All of them use the first client. */
  getPresence(replicaId: string): ChatPresenceService;
  /** The presence service of `r1`. */
  presence: ChatPresenceService;
  /** The dead replicas that presence services find. Empty at the start of each test; tests may assign other ones. */
  dead: DeadReplicas;
  /** The messages about the session that the replicas `r1`, `r2` and `r3` received. The keys are their channels. */
  messagesByChannel: ReadonlyMap<string, string[]>;
  /** The list of `messagesByChannel` for the channel of `r1`. */
  messages: string[];
  /** The keys and channels of the session's shard. */
  getKeys(): ReturnType<typeof chatKeys>;
  /**
   * Adds a socket of the user 1 or 2 to the session.
   * @param options.showsChat whether a page on the socket shows the chat; true by default
   * @returns the state of the partner
   */
  enter(
    replicaId: string,
    userId: number,
    socketId?: string,
    options?: { showsChat?: boolean },
  ): Promise<PartnerState>;
}

/** Registers hooks that provide the hot log on a real Redis, with a new session and subscriptions for each test. */
export const useTestHotLog = (): TestHotLog => {
  const environment = { GRACE_AFTER_CLEAN_CLOSE_MS: 1_000, GRACE_AFTER_LOSS_MS: 1_000 } as Environment;
  let subscription: { close(): void };
  let presences: Map<string, ChatPresenceService>;

  const hotLog = {} as TestHotLog;
  hotLog.getKeys = () => chatKeys(findShard(hotLog.sessionId));
  hotLog.getPresence = (replicaId) => {
    const existing = presences.get(replicaId);
    if (existing) return existing;
    // The lease reads `dead` at each call, because tests replace it.
    const lease = createFakeLease(replicaId, () => hotLog.dead);
    const presence = new ChatPresenceService(hotLog.clients[0]!, lease, environment);
    presences.set(replicaId, presence);
    return presence;
  };
  hotLog.enter = (replicaId, userId, socketId = `s-${userId}`, { showsChat = true } = {}) =>
    hotLog
      .getPresence(replicaId)
      .join(hotLog.sessionId, { id: socketId, userId, partnerId: userId === 1 ? 2 : 1, showsChat });

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
    const { channel } = hotLog.getKeys();
    const messagesByChannel = new Map([
      [channel('r1'), hotLog.messages],
      [channel('r2'), []],
      [channel('r3'), []],
    ]);
    hotLog.messagesByChannel = messagesByChannel;
    const { store } = hotLog;
    subscription = await subscribeToChannels(
      store.url,
      store.redis,
      [...messagesByChannel.keys()],
      (channelName, text) => {
        // What is published about a session begins with the session id.
        const prefix = `${hotLog.sessionId} `;
        expect(text.startsWith(prefix)).toBe(true);
        messagesByChannel.get(channelName)?.push(text.slice(prefix.length));
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
