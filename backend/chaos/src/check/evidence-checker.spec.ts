import { checkEvidence, type Evidence, type Rule } from './evidence-checker';
import { type Fingerprint, fingerprints } from './fingerprint';
import { type ChatRecord, createUserLog, type UserLog } from './user-log';
import type { StoredEvent, StoredState } from './stored-state';

const ADA = 1;
const BOB = 2;
const SESSION = 's-1';
const ACKED_AT = 10_000;

const hello = fingerprints.message('1-0', ADA, 'hello');
const reply = fingerprints.message('2-0', BOB, 'reply');
/** The events of the chat. Ada's message `hello` is the second one. */
const history: Fingerprint[] = [fingerprints.started(), hello, reply, fingerprints.end('skipped')];

/** The key of a message: the sender's id and the client id. Always with Ada's id, because keys only have to differ. */
const formatMessageKey = (index: number): string => `${ADA} c-${index}`;

const createStoredEvents = (events: readonly Fingerprint[]): StoredEvent[] =>
  events.map((fingerprint, index) => ({
    eventId: `e-${index}`,
    fingerprint,
    ...(fingerprint.startsWith('message') ? { messageKey: formatMessageKey(index) } : {}),
  }));

const createStoredState = (events: readonly Fingerprint[], more: Partial<StoredState> = {}): StoredState => ({
  postgresChats: new Map([[SESSION, createStoredEvents(events)]]),
  redisChats: new Map([[SESSION, createStoredEvents(events)]]),
  privateMessages: [{ id: 7, senderId: ADA, receiverId: BOB, content: 'private' }],
  friendships: new Set(['1-2']),
  outboxEntries: 0,
  deadLetters: 0,
  waitingJobs: 0,
  keysWithoutExpiry: {},
  ...more,
});

/** The log of a user who has seen `history`. Ada also got the acknowledgement of `hello`. */
const createLog = (userId: number, partnerId: number, more: Partial<ChatRecord> = {}): UserLog => ({
  ...createUserLog(userId),
  chats: new Map([
    [
      SESSION,
      {
        sessionId: SESSION,
        partnerId,
        events: new Map(history.map((fingerprint, index) => [index + 1, fingerprint])),
        lastSeq: history.length,
        acks: userId === ADA ? [{ seq: 2, fingerprint: hello, ackedAt: ACKED_AT }] : [],
        startedAt: 1_000,
        endedAt: 20_000,
        resetTimes: [],
        reopenings: [],
        ...more,
      },
    ],
  ]),
  friends: new Set([userId === ADA ? BOB : ADA]),
});

/** Evidence without a violation, unless `more` replaces a part of it. */
const createEvidence = (more: Partial<Evidence> = {}): Evidence => ({
  logs: [
    {
      ...createLog(ADA, BOB),
      privateAcks: [{ id: 7, clientId: 'c', senderId: ADA, receiverId: BOB, content: 'private', ackedAt: 1 }],
    },
    { ...createLog(BOB, ADA), privateReceived: new Map([[7, 'private']]) },
  ],
  storedState: createStoredState(history),
  lossWindows: [],
  ...more,
});

const listViolatedRules = (more: Partial<Evidence>): Rule[] => [
  ...new Set(checkEvidence(createEvidence(more)).violations.map(({ rule }) => rule)),
];
/** Evidence in which Ada has noticed a problem. */
const createProblem = (description: string): Partial<Evidence> => ({
  logs: [{ ...createLog(ADA, BOB), problems: [{ noticedAt: 5_000, description }] }, createLog(BOB, ADA)],
});
const removeFromHistory = (removed: Fingerprint): Fingerprint[] =>
  history.filter((fingerprint) => fingerprint !== removed);

describe('checkEvidence', () => {
  it('finds nothing in consistent evidence', () => {
    expect(checkEvidence(createEvidence())).toEqual({
      violations: [],
      losses: [],
      acknowledgements: { chat: 1, private: 1 },
    });
  });

  it('reports an acknowledged message that is not stored as lost', () => {
    const verdict = checkEvidence(
      createEvidence({ storedState: createStoredState(removeFromHistory(hello)) }),
    );
    expect(verdict.losses).toMatchObject([{ seq: 2, fingerprint: hello, explainedBy: undefined }]);
    expect(verdict.violations.map(({ rule }) => rule)).toContain('lost');
  });

  it('explains a loss by a fault that removes data, if the users received the end of the chat', () => {
    // The fault explains the loss of data that was acknowledged between `from` and `to`.
    const window = {
      label: 'truncated redis',
      from: ACKED_AT - 500,
      faultBeganAt: ACKED_AT,
      to: ACKED_AT + 500,
    };
    const laterEnd = { endedAt: ACKED_AT + 2_000 };
    const logs = [createLog(ADA, BOB, laterEnd), createLog(BOB, ADA, laterEnd)];
    const verdict = checkEvidence(
      createEvidence({
        storedState: createStoredState(removeFromHistory(hello)),
        lossWindows: [window],
        logs,
      }),
    );
    expect(verdict.losses).toMatchObject([{ explainedBy: 'truncated redis' }]);
    // These logs lack the private message that is stored.
    expect(verdict.violations.filter(({ rule }) => rule !== 'private')).toEqual([]);
  });

  it('reports a loss outside the loss window of a fault', () => {
    const window = { label: 'truncated redis', from: 50_000, faultBeganAt: 50_500, to: 51_000 };
    expect(
      listViolatedRules({ storedState: createStoredState(removeFromHistory(hello)), lossWindows: [window] }),
    ).toContain('lost');
  });

  it('reports a loss whose user received neither a reset nor an end of the chat', () => {
    const window = { label: 'flushed redis', from: 0, faultBeganAt: 10_500, to: 11_000 };
    const withoutEnd = { endedAt: undefined };
    const logs = [createLog(ADA, BOB, withoutEnd), createLog(BOB, ADA, withoutEnd)];
    expect(
      listViolatedRules({
        storedState: createStoredState(removeFromHistory(hello)),
        lossWindows: [window],
        logs,
      }),
    ).toContain('not notified');
  });

  it('reports messages whose stored seqs differ from those that the users saw', () => {
    const [start = '', first = '', second = '', end = ''] = history;
    expect(listViolatedRules({ storedState: createStoredState([start, second, first, end]) })).toEqual([
      'order',
    ]);
  });

  it('reports two users who saw the messages in different orders', () => {
    const swappedEvents = new Map(history.map((fingerprint, index) => [index + 1, fingerprint]));
    swappedEvents.set(2, reply).set(3, hello);
    const logs = [createLog(ADA, BOB), createLog(BOB, ADA, { events: swappedEvents })];
    expect(listViolatedRules({ logs })).toContain('order');
  });

  it('reports a gap that a user noticed', () => {
    expect(listViolatedRules(createProblem('s-1: a gap, random_message 5 came after 3'))).toEqual(['order']);
  });

  it('reports an event that was delivered twice', () => {
    expect(listViolatedRules(createProblem('s-1: random_message 3 delivered twice'))).toEqual(['duplicate']);
  });

  it('reports a message that is stored twice under one client id', () => {
    const storedState = createStoredState(history);
    const events = storedState.postgresChats.get(SESSION) ?? [];
    events.splice(3, 0, { eventId: 'e-9', fingerprint: hello, messageKey: formatMessageKey(1) });
    // Without the chat in Redis, which would differ.
    expect(listViolatedRules({ storedState: { ...storedState, redisChats: new Map() } })).toContain(
      'duplicate',
    );
  });

  it('reports frames of another chat', () => {
    expect(listViolatedRules(createProblem('typing of the unknown chat s-2'))).toEqual(['cross-talk']);
    expect(listViolatedRules(createProblem('s-1: a message of another chat: s-2 5 hello'))).toEqual([
      'cross-talk',
    ]);
  });

  it('reports a user in two chats', () => {
    expect(listViolatedRules(createProblem('in two chats: s-1 and s-2'))).toEqual(['two chats or stuck']);
  });

  it('reports a stored chat without an end, even if no user has seen it', () => {
    expect(listViolatedRules({ storedState: createStoredState(history.slice(0, 3)), logs: [] })).toEqual([
      'two chats or stuck',
    ]);
  });

  it('reports a chat that continues after its end, unless a fault may have removed the end', () => {
    const reopenings = [{ endedAt: 12_000, reopenedAt: 13_000 }];
    const logs = [createLog(ADA, BOB, { reopenings }), createLog(BOB, ADA)];
    const window = { label: 'truncated redis', from: 11_500, faultBeganAt: 11_600, to: 12_500 };
    expect(listViolatedRules({ logs })).toContain('order');
    expect(listViolatedRules({ logs, lossWindows: [window] })).not.toContain('order');
  });

  it('reports a chat without an end, unless data was lost during it', () => {
    const storedState = createStoredState(history.slice(0, 3));
    const windowBefore = { label: 'flushed redis', from: 0, faultBeganAt: 300, to: 800 };
    const windowDuring = { ...windowBefore, faultBeganAt: 19_000, to: 19_500 };
    expect(listViolatedRules({ storedState, lossWindows: [windowBefore] })).toContain('two chats or stuck');
    expect(listViolatedRules({ storedState, lossWindows: [windowDuring] })).not.toContain(
      'two chats or stuck',
    );
  });

  it('reports an event that differs between Redis and PostgreSQL', () => {
    // The rule `order` also requires the same events in both stores.
    const storedState = createStoredState(history);
    storedState.redisChats.set(
      SESSION,
      createStoredEvents(history).with(1, { eventId: 'other', fingerprint: hello }),
    );
    expect(listViolatedRules({ storedState })).toEqual(['order']);
  });

  it('reports what is left in outboxes, queues and dead letters', () => {
    expect(listViolatedRules({ storedState: createStoredState(history, { waitingJobs: 1 }) })).toEqual([
      'left over',
    ]);
    expect(listViolatedRules({ storedState: createStoredState(history, { outboxEntries: 1 }) })).toEqual([
      'left over',
    ]);
    expect(listViolatedRules({ storedState: createStoredState(history, { deadLetters: 1 }) })).toEqual([
      'left over',
    ]);
  });

  it('reports a private message that was acknowledged and is not stored, or is stored twice', () => {
    expect(listViolatedRules({ storedState: createStoredState(history, { privateMessages: [] }) })).toEqual([
      'private',
    ]);
    const message = { id: 7, senderId: ADA, receiverId: BOB, content: 'private' };
    const storedTwice = createStoredState(history, { privateMessages: [message, { ...message, id: 8 }] });
    expect(listViolatedRules({ storedState: storedTwice })).toEqual(['duplicate']);
  });

  it('reports a friendship that a user saw and that is not stored', () => {
    expect(
      listViolatedRules({ storedState: createStoredState(history, { friendships: new Set() }) }),
    ).toEqual(['friends']);
  });
});
