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
import { chatKeys, shardOf } from '../../backend/src/platform/redis/redis.keys';
import { ThawVisitor } from '../../backend/src/testing/thaw.client';
import { until } from '../../backend/src/testing/until.functions';
import { canBeReactedTo, isOwnText } from '@/chat-ui/chat-message';
import { readQuestionGame } from '@/features/random-chat/icebreaker/game';
import { ChatPage } from './page';
import { type Dice, diceOf } from './dice';
import { type LoggedEvent, type ShownChat, shownFor } from './stored-chat';

jest.mock('@/product/identity', () => jest.requireActual<object>('./acting'));

const isLong = process.env.THAW_TEST_LONG === '1';
const SEQUENCES = isLong ? 100_000 : 200;
/** Pairs that play in parallel. */
const PAIRS_AT_ONCE = 6;
const STEPS = { least: 6, most: 18 };
/** PostgreSQL is checked after this many chats of a pair. */
const CHATS_BETWEEN_LOOKS = 25;
const SETTLED_WITHIN_MS = 60_000;

jest.setTimeout(isLong ? 24 * 3_600_000 : 10 * 60_000);

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

const streamOf = async (sessionId: string): Promise<LoggedEvent[]> => {
  const entries = await redis.xrange(chatKeys(shardOf(sessionId)).stream(sessionId), '-', '+');
  return entries.map(([id, fields]) => {
    const { i, t, d } = JSON.parse(fields[1] ?? '{}') as { i: string; t: string; d: LoggedEvent['data'] };
    return { id, eventId: i, type: t, data: d };
  });
};

const durable = async (sessionId: string): Promise<Omit<LoggedEvent, 'id'>[]> => {
  const { rows } = await database.query<{ event_id: string; type: string; data: LoggedEvent['data'] }>(
    `SELECT e.event_id, e.type, e.data || coalesce(p.data, '{}') AS data
     FROM events e LEFT JOIN event_private p ON p.stream_id = e.stream_id AND p.event_id = e.event_id
     WHERE e.stream_id = $1 ORDER BY e.stream_position`,
    [`chat-${sessionId}`],
  );
  return rows.map(({ event_id: eventId, type, data }) => ({ eventId, type, data }));
};

/** The chat as a page shows it. */
const shownBy = ({ state }: ChatPage): ShownChat => {
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

const faultOf = (page: ChatPage, events: readonly LoggedEvent[]): string | null => {
  const { session, phase } = page.state;
  if (page.complaints.length > 0) return page.complaints.join(', ');
  if (phase !== 'active' || !session || !page.isOpen) return `it is ${phase}`;
  if (session.seq !== events.length) return `it has seen ${session.seq} of ${events.length}`;
  const [unsent] = page.outgoing;
  if (unsent) return `a message is ${unsent.state}`;
  if (Object.keys(session.unconfirmedMessages).length > 0) return 'a change is not confirmed';
  const [shown, expected] = [shownBy(page), shownFor(events, page.id)].map((chat) => JSON.stringify(chat));
  return shown === expected ? null : `it shows\n${shown}\nand should show\n${expected}`;
};

/** Does one random action as the user of a page. @returns its name */
const step = (page: ChatPage, dice: Dice): string => {
  const { session, phase } = page.state;
  const { chat } = page;
  if (phase !== 'active' || !session) return 'waits';
  const there = session.messages.filter(canBeReactedTo);
  const own = there.filter((message) => isOwnText(message, page.id));
  const game = session.messages.flatMap((message) => readQuestionGame(message) ?? []).at(-1);
  const say = (replied = there[0]) => {
    const replyTo = replied && {
      messageId: replied.id,
      content: replied.content,
      senderId: replied.senderId,
      senderName: 'somebody',
    };
    chat.outbox.submit(session.sessionId, { text: dice.words(), attachment: null, replyTo: replyTo ?? null });
  };
  const moves: [weight: number, name: string, does: () => void][] = [
    [
      6,
      'says',
      () => chat.outbox.submit(session.sessionId, { text: dice.words(), attachment: null, replyTo: null }),
    ],
    [2, 'answers a message', () => say(dice.of(there))],
    [
      4,
      'reacts',
      () => there.length > 0 && chat.react(dice.of(there)?.id ?? '', dice.of(reactionEmojis) ?? ''),
    ],
    [2, 'edits', () => own.length > 0 && chat.edit(dice.of(own)?.id ?? '', dice.words())],
    [2, 'asks', () => void chat.game.start()],
    [3, 'answers', () => game && chat.game.answer(game.gameId, dice.of(game.options) ?? '')],
    [1, 'ignores', () => game && chat.game.ignore(game.gameId)],
    [1, 'types', () => chat.notifyTyping()],
    [1, 'is cut off', () => page.cut()],
  ];
  const [, name, does] = dice.weighted(moves);
  page.act(does);
  return name;
};

/** Serialises the searches of all pairs, so that each user is matched with the partner of their own pair. */
let searching: Promise<void> = Promise.resolve();
const alone = (work: () => Promise<void>): Promise<void> => {
  const done = searching.then(work);
  searching = done.catch(() => undefined);
  return done;
};

const standing = ({ id, isOpen, state: { phase, session }, complaints }: ChatPage): string =>
  `${id} ${isOpen ? 'connected' : 'cut off'} ${phase} ${session?.sessionId} ${complaints.join(', ')}`;

/** Brings both users into a new chat with each other, other than `past`. @returns its session id */
const meet = async (pair: Pair, past: string | undefined): Promise<string> => {
  const press = (page: ChatPage): void => {
    if (!page.isOpen) return;
    const { phase } = page.state;
    if (phase === 'skipped') page.act(() => page.chat.startNewConversation());
    else if (phase === 'initial') page.act(() => page.chat.startSearch());
  };
  const place = ({ state }: ChatPage): string | undefined =>
    state.phase === 'active' ? state.session?.sessionId : undefined;
  const areTogether = (): boolean => {
    pair.forEach(press);
    const [one, other] = pair.map(place);
    return one !== undefined && one === other && one !== past;
  };
  // If the two never meet, the error of `until` shows their states.
  const seen = (): boolean | string[] => areTogether() || pair.map(standing);
  await until(seen, (value) => value === true, SETTLED_WITHIN_MS);
  return place(pair[0]) ?? '';
};

const end = (pair: Pair, dice: Dice): string => {
  const [first, second] = dice.coin() ? pair : [pair[1], pair[0]];
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
  const [, name, does] = dice.weighted(ways);
  does();
  return name;
};

const play = async (pair: Pair, dice: Dice, log: string[]): Promise<void> => {
  const steps = dice.between(STEPS.least, STEPS.most);
  for (let count = 0; count < steps; count += 1) {
    const index = dice.coin() ? 0 : 1;
    log.push(`${index} ${step(pair[index], dice)}`);
    if (dice.coin()) await sleep(dice.between(0, 6)); // lets frames cross only sometimes
  }
};

/** Waits until both pages show what Redis holds. */
const settle = async (pair: Pair, sessionId: string): Promise<void> => {
  const faults = async (): Promise<string[]> => {
    for (const page of pair) page.retryFailed();
    const events = await streamOf(sessionId);
    return pair.flatMap((page, index) => {
      const fault = faultOf(page, events);
      return fault === null ? [] : [`page ${index}: ${fault}`];
    });
  };
  let last: string[] = [];
  await until(async () => (last = await faults()).length === 0, Boolean, SETTLED_WITHIN_MS).catch(() => {
    throw new Error(last.join('\n'));
  });
};

const expectDurable = async (sessionIds: readonly string[]): Promise<void> => {
  for (const sessionId of sessionIds) {
    const expected = (await streamOf(sessionId)).map(({ eventId, type, data }) => ({ eventId, type, data }));
    expect(expected.at(-1)?.type).toBe('ChatEnded');
    await until(async () => (await durable(sessionId)).length >= expected.length, Boolean, SETTLED_WITHIN_MS);
    expect(await durable(sessionId)).toEqual(expected);
  }
};

const open = async (dice: Dice): Promise<Pair> => {
  const origins = stack.replicas.map(({ port }) => `http://127.0.0.1:${port}`);
  const page = async (replica: number): Promise<ChatPage> => {
    const visitor = new ThawVisitor([origins[replica] ?? '']);
    await visitor.joinAnonymously(replica === 0 ? 'female' : 'male');
    // The first connection goes to a replica per user, later ones to any.
    let connections = 0;
    return new ChatPage(visitor, origins, () => (connections++ === 0 ? replica : dice.between(0, 1)));
  };
  return [await page(0), await page(1)];
};

/** State shared by the pairs of one run; a retry of the test starts another. */
interface Run {
  begun: number;
  hasFailed: boolean;
}

const playInTurn = async (run: Run): Promise<void> => {
  const pair = await open(diceOf(seed));
  let past: string | undefined;
  let ended: string[] = [];
  for (const page of pair) page.start();
  try {
    while (run.begun < SEQUENCES && !run.hasFailed) {
      const number = run.begun;
      run.begun += 1;
      const dice = diceOf(seed + number);
      const log: string[] = [];
      try {
        await alone(async () => {
          if (past !== undefined) log.push(end(pair, dice));
          const sessionId = await meet(pair, past);
          if (past !== undefined) ended.push(past);
          past = sessionId;
        });
        await play(pair, dice, log);
        await settle(pair, past ?? '');
        if (ended.length >= CHATS_BETWEEN_LOOKS) await expectDurable(ended.splice(0));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`FUZZ_SEED=${seed}, sequence ${number} (${log.join('; ')}): ${why}`, {
          cause: error,
        });
      }
    }
    await alone(async () => {
      for (const page of pair) page.act(() => page.chat.endSearchOrChat());
      if (past === undefined) return;
      const last = past;
      await until(
        async () => (await streamOf(last)).at(-1)?.type === 'ChatEnded',
        Boolean,
        SETTLED_WITHIN_MS,
      );
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
  const results = await Promise.allSettled(Array.from({ length: PAIRS_AT_ONCE }, () => playInTurn(run)));
  // Throws the first failure, whose message names its sequence.
  for (const done of results) if (done.status === 'rejected') throw done.reason;
  expect(run.begun).toBe(SEQUENCES);
});
