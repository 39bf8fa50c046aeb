/**
 * Runs two api processes, a worker, and their own PostgreSQL and Redis. Each user has the page's own state and
 * connection. Pairs of users act in chats in random sequences, determined by a seed. After each sequence both pages,
 * the Redis stream and PostgreSQL hold the same chat. The long form (THAW_TEST_LONG=1) has 100,000 sequences;
 * FUZZ_SEED repeats a run.
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
import { canBeReactedTo, isOwnText } from '@/chat-ui/chat-message';
import { readQuestionGame } from '@/features/random-chat/icebreaker/game';
import { ChatPage } from './page';
import { type Dice, createDice } from './dice';
import { type LoggedEvent, type ShownChat, computeShownChat } from './stored-chat';

jest.mock('@/product/identity', () => jest.requireActual<object>('./acting'));

const isLongRun = process.env.THAW_TEST_LONG === '1';
const SEQUENCES = isLongRun ? 100_000 : 200;
/** Pairs that play in parallel. */
const PAIRS_AT_ONCE = 6;
const STEPS = { least: 6, most: 18 };
/** PostgreSQL is checked after this many chats of a pair. */
const CHATS_PER_CHECK = 25;
const SETTLED_WITHIN_MS = 60_000;

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
      DATABASE_URL: '',
      REDIS_URL: '',
      REMATCH_COOLDOWN_S: '0',
      REMATCH_RELAX_AFTER_S: '0',
      LOG_LEVEL: 'warn',
    },
  });
  redis = new Redis(stack.stores.redisUrl);
  database = new Pool({ connectionString: stack.stores.databaseUrl });
  // Pages that are cut off while typing log warnings.
  jest.spyOn(console, 'warn').mockReturnValue();
});

afterAll(async () => {
  redis?.disconnect();
  await database?.end();
  await stack?.stop();
});

type Pair = readonly [ChatPage, ChatPage];

/** The events of a chat in Redis. */
const readStream = async (sessionId: string): Promise<LoggedEvent[]> => {
  const entries = await redis.xrange(chatKeys(findShard(sessionId)).stream(sessionId), '-', '+');
  return entries.map(([id, fields]) => {
    const { i, t, d } = JSON.parse(fields[1] ?? '{}') as { i: string; t: string; d: LoggedEvent['data'] };
    return { id, eventId: i, type: t, data: d };
  });
};

/** The events of a chat in PostgreSQL. */
const readPersistedEvents = async (sessionId: string): Promise<Omit<LoggedEvent, 'id'>[]> => {
  const { rows } = await database.query<{ event_id: string; type: string; data: LoggedEvent['data'] }>(
    `SELECT e.event_id, e.type, e.data || coalesce(p.data, '{}') AS data
     FROM events e LEFT JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id
     WHERE e.stream_id = $1 ORDER BY e.stream_position`,
    [`chat-${sessionId}`],
  );
  return rows.map(({ event_id: eventId, type, data }) => ({ eventId, type, data }));
};

/** The chat as a page shows it. */
const readShownChat = ({ state }: ChatPage): ShownChat => {
  const messages = (state.session?.messages ?? []).filter(canBeReactedTo).map((message) => ({
    id: message.id,
    senderId: message.senderId,
    content: message.content,
    isEdited: message.isEdited,
    repliesTo: message.replyTo?.messageId ?? null,
    reactions: Object.fromEntries(
      Object.entries(message.reactions).map(([emoji, { users }]) => [emoji, [...users]]),
    ),
  }));
  const games = (state.session?.messages ?? []).flatMap((message) => {
    const game = readQuestionGame(message);
    if (!game) return [];
    const { gameId, questionId, progress, userResponse, partnerResponse } = game;
    const isRevealed = progress === 'revealed';
    return [
      {
        gameId,
        questionId,
        progress,
        mine: isRevealed ? userResponse : null,
        theirs: isRevealed ? partnerResponse : null,
      },
    ];
  });
  return { messages, games };
};

/** What is wrong on a page whose chat has these events; null when it shows exactly them. */
const findFault = (page: ChatPage, events: readonly LoggedEvent[]): string | null => {
  const { session, phase } = page.state;
  if (page.complaints.length > 0) return page.complaints.join(', ');
  if (phase !== 'active' || !session || !page.isOpen) return `its phase is ${phase}`;
  if (session.seq !== events.length) return `it has seen ${session.seq} of ${events.length}`;
  const [unsent] = page.outgoing;
  if (unsent) return `a message is ${unsent.state}`;
  if (Object.keys(session.unconfirmedMessages).length > 0) return 'a change is not confirmed';
  const [shown, expected] = [readShownChat(page), computeShownChat(events, page.id)].map((chat) =>
    JSON.stringify(chat),
  );
  return shown === expected ? null : `it shows\n${shown}\nand should show\n${expected}`;
};

/** Does one random action as the user of a page. @returns its name */
const doRandomAction = (page: ChatPage, dice: Dice): string => {
  const { session, phase } = page.state;
  const { chat } = page;
  if (phase !== 'active' || !session) return 'waits';
  const reactable = session.messages.filter(canBeReactedTo);
  const own = reactable.filter((message) => isOwnText(message, page.id));
  const game = session.messages.flatMap((message) => readQuestionGame(message) ?? []).at(-1);
  const sendReply = (replied = reactable[0]) => {
    const replyTo = replied && {
      messageId: replied.id,
      content: replied.content,
      senderId: replied.senderId,
      senderName: 'somebody',
    };
    chat.outbox.submit(session.sessionId, {
      text: dice.createWords(),
      attachment: null,
      replyTo: replyTo ?? null,
    });
  };
  const moves: [weight: number, name: string, act: () => void][] = [
    [
      6,
      'says',
      () =>
        chat.outbox.submit(session.sessionId, { text: dice.createWords(), attachment: null, replyTo: null }),
    ],
    [2, 'answers a message', () => sendReply(dice.pick(reactable))],
    [
      4,
      'reacts',
      () =>
        reactable.length > 0 && chat.react(dice.pick(reactable)?.id ?? '', dice.pick(reactionEmojis) ?? ''),
    ],
    [2, 'edits', () => own.length > 0 && chat.edit(dice.pick(own)?.id ?? '', dice.createWords())],
    [2, 'asks', () => void chat.game.start()],
    [3, 'answers', () => game && chat.game.answer(game.gameId, dice.pick(game.options) ?? '')],
    [1, 'ignores', () => game && chat.game.ignore(game.gameId)],
    [1, 'types', () => chat.notifyTyping()],
    [1, 'is cut off', () => page.cut()],
  ];
  const [, name, act] = dice.pickWeighted(moves);
  page.act(act);
  return name;
};

/** Runs `work` while no other pair searches, so that each user is matched with the partner of their own pair. */
let searching: Promise<void> = Promise.resolve();
const withExclusiveQueue = (work: () => Promise<void>): Promise<void> => {
  const done = searching.then(work);
  searching = done.catch(() => undefined);
  return done;
};

const describeState = ({ id, isOpen, state: { phase, session }, complaints }: ChatPage): string =>
  `${id} ${isOpen ? 'connected' : 'cut off'} ${phase} ${session?.sessionId} ${complaints.join(', ')}`;

/** Brings both users into a new chat with each other, other than the previous one. @returns its session id */
const startNewChat = async (pair: Pair, previous: string | undefined): Promise<string> => {
  const pressNextButton = (page: ChatPage): void => {
    if (!page.isOpen) return;
    const { phase } = page.state;
    if (phase === 'skipped') page.act(() => page.chat.startNewConversation());
    else if (phase === 'initial') page.act(() => page.chat.startSearch());
  };
  const readSessionId = ({ state }: ChatPage): string | undefined =>
    state.phase === 'active' ? state.session?.sessionId : undefined;
  const areInNewChat = (): boolean => {
    pair.forEach(pressNextButton);
    const [one, other] = pair.map(readSessionId);
    return one !== undefined && one === other && one !== previous;
  };
  // If the two never meet, the error of `until` shows their states.
  const readProgress = (): boolean | string[] => areInNewChat() || pair.map(describeState);
  await until(readProgress, (value) => value === true, SETTLED_WITHIN_MS);
  return readSessionId(pair[0]) ?? '';
};

/** Ends the chat of a pair in one of several ways. @returns the name of the way */
const endChat = (pair: Pair, dice: Dice): string => {
  const [first, second] = dice.flipCoin() ? pair : [pair[1], pair[0]];
  const ways: [number, string, () => void][] = [
    [4, 'one skips', () => first.act(() => first.chat.skip())],
    [2, 'both skip', () => [first, second].forEach((page) => page.act(() => page.chat.skip()))],
    [2, 'one leaves', () => first.act(() => first.chat.endSearchOrChat())],
    [
      1,
      'one skips as the other is cut off',
      () => {
        second.cut();
        first.act(() => first.chat.skip());
      },
    ],
  ];
  const [, name, act] = dice.pickWeighted(ways);
  act();
  return name;
};

const doRandomActions = async (pair: Pair, dice: Dice, log: string[]): Promise<void> => {
  const steps = dice.pickBetween(STEPS.least, STEPS.most);
  for (let count = 0; count < steps; count += 1) {
    const index = dice.flipCoin() ? 0 : 1;
    log.push(`${index} ${doRandomAction(pair[index], dice)}`);
    if (dice.flipCoin()) await sleep(dice.pickBetween(0, 6)); // lets frames cross only sometimes
  }
};

/** Waits until both pages show what Redis holds. */
const waitUntilSettled = async (pair: Pair, sessionId: string): Promise<void> => {
  const findFaults = async (): Promise<string[]> => {
    for (const page of pair) page.retryFailed();
    const events = await readStream(sessionId);
    return pair.flatMap((page, index) => {
      const fault = findFault(page, events);
      return fault === null ? [] : [`page ${index}: ${fault}`];
    });
  };
  let last: string[] = [];
  await untilWithin(SETTLED_WITHIN_MS, async () => (last = await findFaults()).length === 0).catch(() => {
    throw new Error(last.join('\n'));
  });
};

const expectDurable = async (sessionIds: readonly string[]): Promise<void> => {
  for (const sessionId of sessionIds) {
    const expected = (await readStream(sessionId)).map(({ eventId, type, data }) => ({
      eventId,
      type,
      data,
    }));
    expect(expected.at(-1)?.type).toBe('ChatEnded');
    await untilWithin(
      SETTLED_WITHIN_MS,
      async () => (await readPersistedEvents(sessionId)).length >= expected.length,
    );
    expect(await readPersistedEvents(sessionId)).toEqual(expected);
  }
};

const openPair = async (dice: Dice): Promise<Pair> => {
  const origins = stack.replicas.map(({ port }) => `http://127.0.0.1:${port}`);
  const createPage = async (replica: number): Promise<ChatPage> => {
    const visitor = new ThawVisitor([origins[replica] ?? '']);
    await visitor.joinAnonymously(replica === 0 ? 'female' : 'male');
    // The first connection goes to a replica per user, later ones to any.
    let connections = 0;
    return new ChatPage(visitor, origins, () => (connections++ === 0 ? replica : dice.pickBetween(0, 1)));
  };
  return [await createPage(0), await createPage(1)];
};

/** State shared by the pairs of one run; a retry of the test starts another. */
interface Run {
  begun: number;
  hasFailed: boolean;
}

/** Lets one new pair play sequences until all of the run are played. */
const playSequences = async (run: Run): Promise<void> => {
  const pair = await openPair(createDice(seed));
  let previous: string | undefined;
  let ended: string[] = [];
  for (const page of pair) page.start();
  try {
    while (run.begun < SEQUENCES && !run.hasFailed) {
      const number = run.begun;
      run.begun += 1;
      const dice = createDice(seed + number);
      const log: string[] = [];
      try {
        await withExclusiveQueue(async () => {
          if (previous !== undefined) log.push(endChat(pair, dice));
          const sessionId = await startNewChat(pair, previous);
          if (previous !== undefined) ended.push(previous);
          previous = sessionId;
        });
        await doRandomActions(pair, dice, log);
        await waitUntilSettled(pair, previous ?? '');
        if (ended.length >= CHATS_PER_CHECK) await expectDurable(ended.splice(0));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`FUZZ_SEED=${seed}, sequence ${number} (${log.join('; ')}): ${why}`, {
          cause: error,
        });
      }
    }
    await withExclusiveQueue(async () => {
      for (const page of pair) page.act(() => page.chat.endSearchOrChat());
      if (previous === undefined) return;
      const last = previous;
      await untilWithin(SETTLED_WITHIN_MS, async () => (await readStream(last)).at(-1)?.type === 'ChatEnded');
      ended = [...ended, last];
    });
    await expectDurable(ended);
    for (const page of pair) expect(page.complaints).toEqual([]);
  } catch (error) {
    run.hasFailed = true;
    throw error;
  } finally {
    for (const page of pair) {
      page.act(() => page.chat.endSearchOrChat());
      page.stop();
    }
  }
};

it(`holds one chat on both pages, in Redis and in PostgreSQL, after each of ${SEQUENCES} sequences (seed ${seed})`, async () => {
  const run: Run = { begun: 0, hasFailed: false };
  const results = await Promise.allSettled(Array.from({ length: PAIRS_AT_ONCE }, () => playSequences(run)));
  // Throws the first failure, whose message names its sequence.
  for (const done of results) if (done.status === 'rejected') throw done.reason;
  expect(run.begun).toBe(SEQUENCES);
});
