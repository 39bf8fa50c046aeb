/**
 * Runs two api processes, a worker, and their own PostgreSQL and Redis. Each user has a `ChatPage`: the state and the
 * connection of the product's page, without a screen.
 *
 * Pairs of users perform random sequences of actions, one sequence in each chat. After each sequence, both pages must
 * show the chat as its events in Redis describe it. After the end of the chat, PostgreSQL must hold the same events.
 *
 * FUZZ_SEED sets the seed of the sequences. With THAW_TEST_LONG=1, there are 100,000 of them instead of 200.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { reactionEmojis } from '@thaw/contract/emojis';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { type Stack } from '../../deploy/local/thaw-stack.mjs';
import { chatKeys, findShard } from '../../backend/src/platform/redis/redis.keys';
import { ThawVisitor } from '../../backend/src/testing/thaw.client';
import { until, untilWithin } from '../../backend/src/testing/until.functions';
import { type ChatMessage, canBeReactedTo, canBeEdited } from '@/chat-ui/chat-message';
import { readQuestionGame } from '@/features/random-chat/icebreaker/game';
import { ChatPage } from './page';
import { type Dice, createDice } from './dice';
import { findDifference } from './page-difference';
import { type LoggedEvent } from './shown-chat';

// The pages of all users run in this process. `./acting` makes the user of the acting page the signed-in one.
jest.mock('@/product/identity', () => jest.requireActual<object>('./acting'));

const isLongRun = process.env.THAW_TEST_LONG === '1';
const SEQUENCE_COUNT = isLongRun ? 100_000 : 200;
/** Pairs of users that run sequences in parallel. */
const PAIR_COUNT = 6;
const ACTIONS_PER_SEQUENCE = { least: 6, most: 18 };
/** The events in PostgreSQL are checked each time a pair has ended this many chats. */
const CHATS_PER_CHECK = 25;
const MAX_WAIT_MS = 60_000;
/** Pauses between actions are short, so that frames of both users are often in flight at the same time. */
const MAX_PAUSE_MS = 6;

jest.setTimeout(isLongRun ? 24 * 3_600_000 : 10 * 60_000);

const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));

let stack: Stack;
let redis: Redis;
let database: Pool;

beforeAll(async () => {
  const { startStack } = await import('../../deploy/local/thaw-stack.mjs');
  stack = await startStack({
    replicas: 2,
    workers: 1,
    env: {
      // Without addresses, the stack starts its own stores.
      DATABASE_URL: '',
      REDIS_URL: '',
      // Each pair is matched again and again.
      REMATCH_COOLDOWN_S: '0',
      REMATCH_RELAX_AFTER_S: '0',
      LOG_LEVEL: 'warn',
    },
  });
  redis = new Redis(stack.stores.redisUrl);
  database = new Pool({ connectionString: stack.stores.databaseUrl });
  // A page logs a warning if it is cut off while its user types.
  jest.spyOn(console, 'warn').mockReturnValue();
});

afterAll(async () => {
  redis?.disconnect();
  await database?.end();
  await stack?.stop();
});

type Pair = readonly [ChatPage, ChatPage];

/** Reads the events of a chat from Redis. */
const readStream = async (sessionId: string): Promise<LoggedEvent[]> => {
  const entries = await redis.xrange(chatKeys(findShard(sessionId)).stream(sessionId), '-', '+');
  return entries.map(([id, fields]) => {
    const [, json = '{}'] = fields; // the name and the value of the only field
    const event = JSON.parse(json) as { i: string; t: string; d: LoggedEvent['data'] };
    return { id, eventId: event.i, type: event.t, data: event.d };
  });
};

/** Reads the events of a chat from PostgreSQL, where a separate table holds the private part of their data. */
const readPersistedEvents = async (sessionId: string): Promise<Omit<LoggedEvent, 'id'>[]> => {
  const { rows } = await database.query<{ event_id: string; type: string; data: LoggedEvent['data'] }>(
    `SELECT e.event_id, e.type, e.data || coalesce(p.data, '{}') AS data
     FROM events e LEFT JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id
     WHERE e.stream_id = $1 ORDER BY e.stream_position`,
    [`chat-${sessionId}`],
  );
  return rows.map(({ event_id: eventId, type, data }) => ({ eventId, type, data }));
};

type WeightedAction = [weight: number, name: string, act: () => void];

const toReply = ({ id, content, senderId }: ChatMessage): NonNullable<ChatMessage['replyTo']> => ({
  messageId: id,
  content,
  senderId,
  senderName: 'any name',
});

/**
 * Performs one random action as the user of a page, if the page is in a chat. An action that needs a message or a game
 * does nothing when there is none.
 * @returns the name of the action
 */
const doRandomAction = (page: ChatPage, dice: Dice): string => {
  const { session, phase } = page.state;
  const { chat } = page;
  if (phase !== 'active' || !session) return 'does nothing';
  const reactable = session.messages.filter(canBeReactedTo);
  const editable = reactable.filter((message) => canBeEdited(message, page.id));
  const newestGame = session.messages.flatMap((message) => readQuestionGame(message) ?? []).at(-1);
  const sendMessage = (replyTo: ChatMessage['replyTo']): void => {
    chat.outbox.submit(session.sessionId, { text: dice.createWords(), attachment: null, replyTo });
  };
  const reply = (): void => {
    const message = dice.pick(reactable);
    sendMessage(message ? toReply(message) : null);
  };
  const react = (): void => {
    const message = dice.pick(reactable);
    if (message) chat.react(message.id, dice.pick(reactionEmojis) ?? '');
  };
  const edit = (): void => {
    const message = dice.pick(editable);
    if (message) chat.edit(message.id, dice.createWords());
  };
  const answer = (): void => {
    if (newestGame) chat.game.answer(newestGame.gameId, dice.pick(newestGame.options) ?? '');
  };
  const ignore = (): void => {
    if (newestGame) chat.game.ignore(newestGame.gameId);
  };
  const actions: WeightedAction[] = [
    [6, 'sends a message', () => sendMessage(null)],
    // Without a message to reply to, this sends a message that is no reply.
    [2, 'replies to a message', reply],
    [4, 'reacts', react],
    [2, 'edits', edit],
    [2, 'starts a game', () => void chat.game.start()],
    [3, 'answers the question', answer],
    [1, 'ignores the question', ignore],
    [1, 'types', () => chat.notifyTyping()],
    [1, 'is cut off', () => page.cut()],
  ];
  const [, name, act] = dice.pickWeighted(actions);
  page.act(act);
  return name;
};

/** Settles when the pair that uses the queue has finished. */
let whenQueueIsFree: Promise<unknown> = Promise.resolve();
/** Runs `work` while no other pair searches, so that each user is matched with the partner of their own pair. */
const withExclusiveQueue = <Result>(work: () => Promise<Result>): Promise<Result> => {
  const result = whenQueueIsFree.then(work);
  // A failure of one pair must not stop the others.
  whenQueueIsFree = result.catch(() => undefined);
  return result;
};

const describeState = ({ id, isConnected, state: { phase, session }, violations }: ChatPage): string =>
  `${id} ${isConnected ? 'connected' : 'cut off'} ${phase} ${session?.sessionId} ${violations.join(', ')}`;

/**
 * Brings both users into a new chat with each other.
 * @param previousId  session id of their previous chat
 * @returns the session id of the new chat
 */
const startNewChat = async (pair: Pair, previousId: string | undefined): Promise<string> => {
  const pressNextButton = (page: ChatPage): void => {
    if (!page.isConnected) return;
    const { phase } = page.state;
    if (phase === 'skipped') page.act(() => page.chat.startNewConversation());
    else if (phase === 'initial') page.act(() => page.chat.startSearch());
  };
  const readSessionId = ({ state }: ChatPage): string | undefined =>
    state.phase === 'active' ? state.session?.sessionId : undefined;
  /** @returns true once both are in a new chat; before that, a description of both pages for the error of `until` */
  const tryToReachNewChat = (): boolean | string[] => {
    pair.forEach(pressNextButton);
    const [first, second] = pair.map(readSessionId);
    const areInNewChat = first !== undefined && first === second && first !== previousId;
    return areInNewChat || pair.map(describeState);
  };
  await until(tryToReachNewChat, (result) => result === true, MAX_WAIT_MS);
  return readSessionId(pair[0]) ?? '';
};

/** Ends the chat of a pair in one of several ways. @returns the name of the way */
const endChat = (pair: Pair, dice: Dice): string => {
  const [one, other] = dice.flipCoin() ? pair : [pair[1], pair[0]];
  const skip = (page: ChatPage): void => page.act(() => page.chat.skip());
  const skipAsOtherIsCutOff = (): void => {
    other.cut();
    skip(one);
  };
  const ways: WeightedAction[] = [
    [4, 'one skips', () => skip(one)],
    [2, 'both skip', () => [one, other].forEach(skip)],
    [2, 'one leaves', () => one.act(() => one.chat.endSearchOrChat())],
    [1, 'one skips as the other is cut off', skipAsOtherIsCutOff],
  ];
  const [, name, act] = dice.pickWeighted(ways);
  act();
  return name;
};

const doRandomActions = async (pair: Pair, dice: Dice, log: string[]): Promise<void> => {
  const actionCount = dice.pickBetween(ACTIONS_PER_SEQUENCE.least, ACTIONS_PER_SEQUENCE.most);
  for (let count = 0; count < actionCount; count += 1) {
    const index = dice.flipCoin() ? 0 : 1;
    log.push(`${index} ${doRandomAction(pair[index], dice)}`);
    if (dice.flipCoin()) await sleep(dice.pickBetween(0, MAX_PAUSE_MS));
  }
};

/** Waits until both pages show the chat as its events in Redis describe it. @throws an error with the differences */
const waitUntilSettled = async (pair: Pair, sessionId: string): Promise<void> => {
  const findDifferences = async (): Promise<string[]> => {
    const events = await readStream(sessionId);
    return pair.flatMap((page, index) => {
      const difference = findDifference(page, events);
      return difference === null ? [] : [`page ${index}: ${difference}`];
    });
  };
  let differences: string[] = [];
  await untilWithin(MAX_WAIT_MS, async () => {
    for (const page of pair) page.retryUndelivered();
    differences = await findDifferences();
    return differences.length === 0;
  }).catch(() => {
    throw new Error(differences.join('\n'));
  });
};

/** Expects PostgreSQL to hold the same events as Redis for each of these ended chats. */
const expectPersisted = async (sessionIds: readonly string[]): Promise<void> => {
  for (const sessionId of sessionIds) {
    const events = await readStream(sessionId);
    const expected = events.map(({ eventId, type, data }) => ({ eventId, type, data }));
    expect(expected.at(-1)?.type).toBe('ChatEnded');
    await untilWithin(
      MAX_WAIT_MS,
      async () => (await readPersistedEvents(sessionId)).length >= expected.length,
    );
    expect(await readPersistedEvents(sessionId)).toEqual(expected);
  }
};

const openPair = async (dice: Dice): Promise<Pair> => {
  const origins = stack.replicas.map(({ port }) => `http://127.0.0.1:${port}`);
  /** The first connection of the page goes to `firstReplica`, later ones go to random replicas. */
  const createPage = async (firstReplica: 0 | 1, gender: 'female' | 'male'): Promise<ChatPage> => {
    const visitor = new ThawVisitor([origins[firstReplica] ?? '']);
    await visitor.joinAnonymously(gender);
    let hasConnected = false;
    const chooseReplica = (): number => {
      if (hasConnected) return dice.pickBetween(0, 1);
      hasConnected = true;
      return firstReplica;
    };
    return new ChatPage(visitor, origins, chooseReplica);
  };
  return [await createPage(0, 'female'), await createPage(1, 'male')];
};

/** A pair, and the session ids of its chats. */
interface PairState {
  pair: Pair;
  currentId: string | undefined;
  /** Ended chats that are not checked in PostgreSQL yet. */
  endedIds: string[];
}

/**
 * Ends the previous chat of a pair, starts a new one, and performs a random sequence of actions in it.
 * @param log  receives a description of each action
 */
const playSequence = async (state: PairState, dice: Dice, log: string[]): Promise<void> => {
  const { pair, currentId: previousId } = state;
  const sessionId = await withExclusiveQueue(async () => {
    if (previousId !== undefined) log.push(endChat(pair, dice));
    return startNewChat(pair, previousId);
  });
  if (previousId !== undefined) state.endedIds.push(previousId);
  state.currentId = sessionId;
  await doRandomActions(pair, dice, log);
  await waitUntilSettled(pair, sessionId);
  if (state.endedIds.length >= CHATS_PER_CHECK) await expectPersisted(state.endedIds.splice(0));
};

/** Runs the sequence with this number. @throws Error that also contains the seed and the actions so far */
const runSequence = async (state: PairState, number: number): Promise<void> => {
  const dice = createDice(seed + number);
  const log: string[] = [];
  try {
    await playSequence(state, dice, log);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`FUZZ_SEED=${seed}, sequence ${number} (${log.join('; ')}): ${reason}`, { cause: error });
  }
};

/** Ends the last chat of a pair, and checks all chats that are not checked yet. */
const finishPair = async ({ pair, currentId, endedIds }: PairState): Promise<void> => {
  await withExclusiveQueue(async () => {
    for (const page of pair) page.act(() => page.chat.endSearchOrChat());
    if (currentId === undefined) return;
    await untilWithin(MAX_WAIT_MS, async () => (await readStream(currentId)).at(-1)?.type === 'ChatEnded');
    endedIds.push(currentId);
  });
  await expectPersisted(endedIds);
  for (const page of pair) expect(page.violations).toEqual([]);
};

/** State shared by the pairs of one run of the test; a retry of the test is another run. */
interface Run {
  /** Number of sequences started. */
  startedCount: number;
  hasFailed: boolean;
}

/** Runs sequences with one new pair until all sequences of the run are started. */
const runSequences = async (run: Run): Promise<void> => {
  // These dice choose only the replicas of the pair's connections. Each sequence of actions has dice of its own.
  const pair = await openPair(createDice(seed));
  const state: PairState = { pair, currentId: undefined, endedIds: [] };
  for (const page of pair) page.start();
  try {
    while (run.startedCount < SEQUENCE_COUNT && !run.hasFailed) {
      const number = run.startedCount;
      run.startedCount += 1;
      await runSequence(state, number);
    }
    await finishPair(state);
  } catch (error) {
    run.hasFailed = true;
    throw error;
  } finally {
    // After a failure, the users may still be searching or in a chat.
    for (const page of pair) {
      page.act(() => page.chat.endSearchOrChat());
      page.stop();
    }
  }
};

it(`the pages, Redis and PostgreSQL hold the same chat after each of ${SEQUENCE_COUNT} sequences of actions (seed ${seed})`, async () => {
  const run: Run = { startedCount: 0, hasFailed: false };
  const results = await Promise.allSettled(Array.from({ length: PAIR_COUNT }, () => runSequences(run)));
  // Throws the failure of the first pair that failed; its message names the sequence.
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  expect(run.startedCount).toBe(SEQUENCE_COUNT);
});
