import { Client } from 'pg';
import type { Replica, Stack } from '../../../deploy/local/thaw-stack.mjs';
import {
  type ChatUser,
  type ChatUserPair,
  createMatchedPairs,
  findFaults,
  startSending,
} from '../../src/testing/chat-user.driver';
import { ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';

const SEND_EVERY_MS = 250;
const SAMPLE_EVERY_MS = 200;
/** Acknowledged messages of each user before the change, and again after it. */
const MESSAGES_PER_USER = 5;
export const REPLICA_COUNT = 3;
/** After a change of Redis, such as a failover, every user has messages acknowledged again within this time. */
export const RECOVERED_WITHIN_MS = 15_000;
const PERSISTED_WITHIN_MS = 20_000;

/** Starts replicas behind nginx and a worker on the given Redis, with their own PostgreSQL. */
export const startStackOn = async (redisSettings: Record<string, string>): Promise<Stack> => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  return startStack({
    replicas: REPLICA_COUNT,
    workers: 1,
    // A process that dies is not replaced, so the test fails.
    shouldRestart: false,
    // The empty address makes the stack start its own PostgreSQL. 'load': rate limits that the users do not reach.
    env: { DATABASE_URL: '', LIMITS_PROFILE: 'load', LOG_LEVEL: 'warn', ...redisSettings },
  });
};

/** What happened while matched pairs sent each other messages. */
export interface TalkResult {
  /** Messages that were lost, duplicated or out of order. */
  faults: string[];
  /** The longest time in which a user got no message acknowledged. */
  longestSilenceMs: number;
  /** The smallest number of replicas that were ready at the same time. */
  minReadyReplicas: number;
}

/**
 * Lets matched pairs send messages before, during and after a change of Redis. At the end, compares the messages of
 * both users of each pair, and waits until PostgreSQL has all of them.
 * @param change makes the change, and may wait until all pairs send messages again.
 * @throws Error if a user has no further messages acknowledged within RECOVERED_WITHIN_MS after the change, or messages
 *   are missing in PostgreSQL.
 */
export const talkThrough = async (
  stack: Stack,
  pairCount: number,
  change: (pairs: readonly ChatUserPair[]) => Promise<void>,
  { sendEveryMs = SEND_EVERY_MS } = {},
): Promise<TalkResult> => {
  const pairs = await createMatchedPairs(stack.url, pairCount);
  const users = pairs.flat();
  const stopSending = startSending(pairs, { everyMs: sendEveryMs });
  const stopWatching = startWatching(stack, users);
  try {
    await waitForMessages(users);
    await change(pairs);
    // A new user can sign up after the change.
    await new ThawVisitor([stack.url]).joinAnonymously('female');
    await waitForMessages(users);
    const observations = await stopWatching();
    await stopSending();
    // A partner may receive the last message shortly after its ack.
    await until(() => pairs.every(([first, second]) => first.seq === second.seq));
    const faults = pairs.flatMap(findFaults);
    for (const [user] of pairs) await waitUntilPersisted(stack, user);
    return { faults, ...observations };
  } finally {
    // Both calls have no effect after those above. The first is not awaited, because after a failure the last messages
    // may never be acknowledged.
    void stopSending().catch(() => undefined);
    await stopWatching();
    // An open socket would keep the test process running.
    for (const user of users) await user.leave().catch(() => undefined);
  }
};

/** Waits for MESSAGES_PER_USER further acknowledged messages of every user. @throws Error after RECOVERED_WITHIN_MS. */
export const waitForMessages = async (users: readonly ChatUser[]): Promise<void> => {
  const goals = users.map((user) => ({ user, ackedCount: user.acked.size + MESSAGES_PER_USER }));
  const countWaiting = () => goals.filter(({ user, ackedCount }) => user.acked.size < ackedCount).length;
  await until(countWaiting, (count) => count === 0, RECOVERED_WITHIN_MS);
};

/** Observes the users and the readiness of the replicas until the returned function is called. */
const startWatching = (
  stack: Stack,
  users: readonly ChatUser[],
): (() => Promise<{ longestSilenceMs: number; minReadyReplicas: number }>) => {
  const lastProgress = new Map(
    users.map((user) => [user, { ackedCount: user.acked.size, sinceMs: Date.now() }]),
  );
  let longestSilenceMs = 0;
  let minReadyReplicas = Infinity;
  const sampleSilence = () => {
    for (const [user, { ackedCount, sinceMs }] of lastProgress) {
      longestSilenceMs = Math.max(longestSilenceMs, Date.now() - sinceMs);
      if (user.acked.size > ackedCount)
        lastProgress.set(user, { ackedCount: user.acked.size, sinceMs: Date.now() });
    }
  };
  const sampleReadiness = async () => {
    const readiness = await Promise.all(stack.replicas.map(isReady));
    minReadyReplicas = Math.min(minReadyReplicas, readiness.filter(Boolean).length);
  };
  const sample = async () => {
    sampleSilence();
    await sampleReadiness();
  };
  let lastSample = sample();
  const timer = setInterval(() => {
    lastSample = lastSample.then(sample);
  }, SAMPLE_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await lastSample;
    return { longestSilenceMs, minReadyReplicas };
  };
};

const isReady = ({ internalPort }: Replica): Promise<boolean> =>
  fetch(`http://127.0.0.1:${internalPort}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Waits until PostgreSQL has as many messages of the chat as the user has received or sent. */
const waitUntilPersisted = async (stack: Stack, user: ChatUser): Promise<void> => {
  const client = new Client({ connectionString: stack.stores.databaseUrl });
  await client.connect();
  try {
    await until(
      async () => {
        const { rows } = await client.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM events WHERE stream_id = $1 AND type = 'MessageSent'`,
          [`chat-${user.sessionId}`],
        );
        return rows[0]?.count ?? 0;
      },
      (count) => count === user.history.size,
      PERSISTED_WITHIN_MS,
    );
  } finally {
    await client.end();
  }
};
