import { checkEvidence, type Evidence, type LossWindow, type Rule } from './evidence-checker';
import { type Fingerprint, fingerprints } from './fingerprint';
import { type ChatRecord, createUserLog, type UserLog } from './user-log';
import type { StoredEvent, StoredState } from './stored-state';

const ADA = 1;
const BOB = 2;
const SESSION = 's-1';
const STARTED_AT = 1_000;
const ACKED_AT = 10_000;
const ENDED_AT = 20_000;

const start = fingerprints.started();
/** Sent by Ada, and acknowledged at `ACKED_AT`. */
const hello = fingerprints.message('1-0', ADA, 'hello');
const reply = fingerprints.message('2-0', BOB, 'reply');
const end = fingerprints.end('skipped');
/** The events of the chat. */
const history: Fingerprint[] = [start, hello, reply, end];
const historyWithoutHello = [start, reply, end];
const historyWithoutEnd = [start, hello, reply];

const privateMessage = { id: 7, senderId: ADA, receiverId: BOB, content: 'private' };

/** The fingerprint of a message also serves as its key, so a message that occurs twice counts as stored twice. */
const createStoredEvents = (events: readonly Fingerprint[]): StoredEvent[] =>
  events.map((fingerprint, index) => ({
    eventId: `e-${index}`,
    fingerprint,
    ...(fingerprint.startsWith('message') ? { messageKey: fingerprint } : {}),
  }));

/** A state of the stores in which both contain these events of the chat. `changes` replaces parts of the state. */
const createStoredState = (
  events: readonly Fingerprint[],
  changes: Partial<StoredState> = {},
): StoredState => ({
  postgresChats: new Map([[SESSION, createStoredEvents(events)]]),
  redisChats: new Map([[SESSION, createStoredEvents(events)]]),
  privateMessages: [privateMessage],
  friendships: new Set(['1-2']),
  outboxEntries: 0,
  deadLetters: 0,
  waitingJobs: 0,
  keysWithoutExpiry: {},
  ...changes,
});

/** Numbers events from 1, as their `seq` does. */
const numberEvents = (events: readonly Fingerprint[]): Map<number, Fingerprint> =>
  new Map(events.map((fingerprint, index) => [index + 1, fingerprint]));

/** The log of Ada or Bob, who have seen the whole chat. `changes` replaces parts of their record of the chat. */
const createLog = (userId: number, changes: Partial<ChatRecord> = {}): UserLog => {
  const isAda = userId === ADA;
  const partnerId = isAda ? BOB : ADA;
  const chat: ChatRecord = {
    sessionId: SESSION,
    partnerId,
    events: numberEvents(history),
    lastSeq: history.length,
    acks: isAda ? [{ seq: 2, fingerprint: hello, ackedAt: ACKED_AT }] : [],
    startedAt: STARTED_AT,
    endedAt: ENDED_AT,
    resetTimes: [],
    reopenings: [],
    ...changes,
  };
  return {
    ...createUserLog(userId),
    chats: new Map([[SESSION, chat]]),
    friends: new Set([partnerId]),
    privateAcks: isAda ? [{ ...privateMessage, clientId: 'c', ackedAt: 1 }] : [],
    privateReceived: isAda ? new Map() : new Map([[privateMessage.id, privateMessage.content]]),
  };
};

/** Evidence without a violation, unless `changes` replaces a part of it. */
const createEvidence = (changes: Partial<Evidence> = {}): Evidence => ({
  logs: [createLog(ADA), createLog(BOB)],
  storedState: createStoredState(history),
  lossWindows: [],
  ...changes,
});

/** The window of a fault that may have removed data acknowledged up to half a second before or after it began. */
const createLossWindow = (faultBeganAt: number): LossWindow => ({
  label: 'truncated redis',
  from: faultBeganAt - 500,
  faultBeganAt,
  to: faultBeganAt + 500,
});

const listViolatedRules = (changes: Partial<Evidence>): Rule[] => [
  ...new Set(checkEvidence(createEvidence(changes)).violations.map(({ rule }) => rule)),
];

/** Evidence in which Ada has noticed a problem. */
const createProblem = (description: string): Partial<Evidence> => ({
  logs: [{ ...createLog(ADA), problems: [{ noticedAt: 5_000, description }] }, createLog(BOB)],
});

describe('checkEvidence', () => {
  it('finds nothing in consistent evidence', () => {
    expect(checkEvidence(createEvidence())).toEqual({
      violations: [],
      losses: [],
      acknowledgements: { chat: 1, private: 1 },
    });
  });

  it('reports an acknowledged message that is not stored as lost', () => {
    const verdict = checkEvidence(createEvidence({ storedState: createStoredState(historyWithoutHello) }));
    expect(verdict.losses).toMatchObject([{ seq: 2, fingerprint: hello, explainedBy: undefined }]);
    expect(verdict.violations.map(({ rule }) => rule)).toContain('lost');
  });

  it('explains a loss by a fault that removes data, if the users received the end of the chat', () => {
    const endAfterLoss = { endedAt: ACKED_AT + 2_000 };
    const verdict = checkEvidence(
      createEvidence({
        storedState: createStoredState(historyWithoutHello),
        lossWindows: [createLossWindow(ACKED_AT)],
        logs: [createLog(ADA, endAfterLoss), createLog(BOB, endAfterLoss)],
      }),
    );
    expect(verdict.losses).toMatchObject([{ explainedBy: 'truncated redis' }]);
    expect(verdict.violations).toEqual([]);
  });

  it('reports a loss outside the loss window of a fault', () => {
    const storedState = createStoredState(historyWithoutHello);
    const lossWindows = [createLossWindow(ACKED_AT + 40_000)];
    expect(listViolatedRules({ storedState, lossWindows })).toContain('lost');
  });

  it('reports a loss whose user received neither a reset nor an end of the chat', () => {
    const noEnd = { endedAt: undefined };
    expect(
      listViolatedRules({
        storedState: createStoredState(historyWithoutHello),
        lossWindows: [createLossWindow(ACKED_AT)],
        logs: [createLog(ADA, noEnd), createLog(BOB, noEnd)],
      }),
    ).toContain('not notified');
  });

  it('reports messages whose stored seqs differ from those that the users saw', () => {
    const storedState = createStoredState([start, reply, hello, end]);
    expect(listViolatedRules({ storedState })).toEqual(['order']);
  });

  it('reports two users who saw the messages in different orders', () => {
    const swappedEvents = numberEvents([start, reply, hello, end]);
    const logs = [createLog(ADA), createLog(BOB, { events: swappedEvents })];
    expect(listViolatedRules({ logs })).toContain('order');
  });

  it('reports a gap that a user noticed', () => {
    expect(listViolatedRules(createProblem('s-1: a gap, random_message 5 came after 3'))).toEqual(['order']);
  });

  it('reports an event that was delivered twice', () => {
    expect(listViolatedRules(createProblem('s-1: random_message 3 delivered twice'))).toEqual(['duplicate']);
  });

  it('reports a message that is stored twice under one client id', () => {
    const storedState = createStoredState([start, hello, reply, hello, end]);
    expect(listViolatedRules({ storedState })).toContain('duplicate');
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
    const storedState = createStoredState(historyWithoutEnd);
    expect(listViolatedRules({ storedState, logs: [] })).toEqual(['two chats or stuck']);
  });

  it('reports a chat that continues after its end, unless a fault may have removed the end', () => {
    const reopenings = [{ endedAt: 12_000, reopenedAt: 13_000 }];
    const logs = [createLog(ADA, { reopenings }), createLog(BOB)];
    expect(listViolatedRules({ logs })).toContain('order');
    const lossWindows = [createLossWindow(12_000)];
    expect(listViolatedRules({ logs, lossWindows })).not.toContain('order');
  });

  it('reports a chat without an end, unless data was lost during it', () => {
    const storedState = createStoredState(historyWithoutEnd);
    const lossBefore = [createLossWindow(STARTED_AT - 700)];
    expect(listViolatedRules({ storedState, lossWindows: lossBefore })).toContain('two chats or stuck');
    const lossDuring = [createLossWindow(ENDED_AT - 1_000)];
    expect(listViolatedRules({ storedState, lossWindows: lossDuring })).not.toContain('two chats or stuck');
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

  it.each<[string, Partial<StoredState>]>([
    ['outbox entry', { outboxEntries: 1 }],
    ['waiting job', { waitingJobs: 1 }],
    ['dead letter', { deadLetters: 1 }],
  ])('reports a left-over %s', (_kind, changes) => {
    expect(listViolatedRules({ storedState: createStoredState(history, changes) })).toEqual(['left over']);
  });

  it('reports a private message that was acknowledged and is not stored', () => {
    const storedState = createStoredState(history, { privateMessages: [] });
    expect(listViolatedRules({ storedState })).toEqual(['private']);
  });

  it('reports a private message that is stored twice', () => {
    const privateMessages = [privateMessage, { ...privateMessage, id: 8 }];
    const storedState = createStoredState(history, { privateMessages });
    expect(listViolatedRules({ storedState })).toEqual(['duplicate']);
  });

  it('reports a friendship that a user saw and that is not stored', () => {
    const storedState = createStoredState(history, { friendships: new Set() });
    expect(listViolatedRules({ storedState })).toEqual(['friends']);
  });
});
