import { checkEvidence, type Evidence, type Rule } from './evidence-checker';
import { type Fingerprint, fingerprints } from './fingerprint';
import { type ChatRecord, createUserLog, type UserLog } from './user-log';
import type { StoredEvent, StoredState } from './stored-state';

const ADA = 1;
const BOB = 2;
const SESSION = 's-1';
const ACKED_AT = 10_000;
// In a loss window, `at` is the time of the fault, which may lose what was acknowledged between `from` and `to`.

const hello = fingerprints.message('1-0', ADA, 'hello');
const reply = fingerprints.message('2-0', BOB, 'reply');
const history: Fingerprint[] = [fingerprints.started(), hello, reply, fingerprints.end('skipped')];

/** What makes a message unique to its sender: the sender's id and the client id. */
const clientKeyOf = (index: number): string => `${ADA} c-${index}`;

const stored = (events: readonly Fingerprint[]): StoredEvent[] =>
  events.map((fingerprint, index) => ({
    eventId: `e-${index}`,
    fingerprint,
    ...(fingerprint.startsWith('message') ? { clientKey: clientKeyOf(index) } : {}),
  }));

const storedStateOf = (events: readonly Fingerprint[], more: Partial<StoredState> = {}): StoredState => ({
  // In PostgreSQL, and in Redis.
  durable: new Map([[SESSION, stored(events)]]),
  live: new Map([[SESSION, stored(events)]]),
  privateMessages: [{ id: 7, senderId: ADA, receiverId: BOB, content: 'private' }],
  friendships: new Set(['1-2']),
  outboxEntries: 0,
  deadLetters: 0,
  waitingJobs: 0,
  keysWithoutExpiry: {},
  ...more,
});

const logOf = (userId: number, partnerId: number, more: Partial<ChatRecord> = {}): UserLog => ({
  ...createUserLog(userId),
  chats: new Map([
    [
      SESSION,
      {
        sessionId: SESSION,
        partnerId,
        events: new Map(history.map((fingerprint, index) => [index + 1, fingerprint])),
        lastSeq: history.length,
        acks: userId === ADA ? [{ seq: 2, fingerprint: hello, at: ACKED_AT }] : [],
        startedAt: 1_000,
        endedAt: 20_000,
        resetAt: [],
        reopened: [],
        ...more,
      },
    ],
  ]),
  friends: new Set([userId === ADA ? BOB : ADA]),
});

const evidence = (more: Partial<Evidence> = {}): Evidence => ({
  logs: [
    {
      ...logOf(ADA, BOB),
      privateAcks: [{ id: 7, clientId: 'c', senderId: ADA, receiverId: BOB, content: 'private', at: 1 }],
    },
    { ...logOf(BOB, ADA), privateReceived: new Map([[7, 'private']]) },
  ],
  storedState: storedStateOf(history),
  lossWindows: [],
  ...more,
});

const rulesOf = (more: Partial<Evidence>): Rule[] => [
  ...new Set(checkEvidence(evidence(more)).violations.map(({ rule }) => rule)),
];
const complaining = (what: string): Partial<Evidence> => ({
  logs: [{ ...logOf(ADA, BOB), problems: [{ at: 5_000, what }] }, logOf(BOB, ADA)],
});
const without = (lost: Fingerprint): Fingerprint[] => history.filter((fingerprint) => fingerprint !== lost);

describe('checkEvidence', () => {
  it('finds nothing in consistent evidence', () => {
    expect(checkEvidence(evidence())).toEqual({
      violations: [],
      losses: [],
      acknowledgements: { chat: 1, private: 1 },
    });
  });

  it('reports an acknowledged message that is not stored as lost', () => {
    const verdict = checkEvidence(evidence({ storedState: storedStateOf(without(hello)) }));
    expect(verdict.losses).toMatchObject([{ seq: 2, fingerprint: hello, allowedBy: undefined }]);
    expect(verdict.violations.map(({ rule }) => rule)).toContain('lost');
  });

  it('allows a loss by a truncated file or a flush, if the users received the end of the chat', () => {
    const window = { label: 'truncated redis', from: ACKED_AT - 500, at: ACKED_AT, to: ACKED_AT + 500 };
    const ended = { endedAt: ACKED_AT + 2_000 };
    const logs = [logOf(ADA, BOB, ended), logOf(BOB, ADA, ended)];
    const verdict = checkEvidence(
      evidence({ storedState: storedStateOf(without(hello)), lossWindows: [window], logs }),
    );
    expect(verdict.losses).toMatchObject([{ allowedBy: 'truncated redis' }]);
    // These logs lack the private message that is stored.
    expect(verdict.violations.filter(({ rule }) => rule !== 'private')).toEqual([]);
  });

  it('reports a loss outside the time window of the fault that would allow it', () => {
    const window = { label: 'truncated redis', from: 50_000, at: 50_500, to: 51_000 };
    expect(rulesOf({ storedState: storedStateOf(without(hello)), lossWindows: [window] })).toContain('lost');
  });

  it('reports a loss whose user received neither a reset nor an end of the chat', () => {
    const window = { label: 'flushed redis', from: 0, at: 10_500, to: 11_000 };
    const open = { endedAt: undefined };
    const logs = [logOf(ADA, BOB, open), logOf(BOB, ADA, open)];
    expect(rulesOf({ storedState: storedStateOf(without(hello)), lossWindows: [window], logs })).toContain(
      'not notified',
    );
  });

  it('reports a message that is stored under another number than the acknowledged one', () => {
    const [start = '', first = '', second = '', end = ''] = history;
    expect(rulesOf({ storedState: storedStateOf([start, second, first, end]) })).toEqual(['order']);
  });

  it('reports two sides that saw different orders', () => {
    const swapped = new Map(history.map((fingerprint, index) => [index + 1, fingerprint]));
    swapped.set(2, reply).set(3, hello);
    const logs = [logOf(ADA, BOB), logOf(BOB, ADA, { events: swapped })];
    expect(rulesOf({ logs })).toContain('order');
  });

  it('reports a gap that a user noticed', () => {
    expect(rulesOf(complaining('s-1: a gap, random_message 5 came after 3'))).toEqual(['order']);
  });

  it('reports an event that was delivered twice', () => {
    expect(rulesOf(complaining('s-1: random_message 3 delivered twice'))).toEqual(['duplicate']);
  });

  it('reports a message that is stored twice under one client id', () => {
    const storedState = storedStateOf(history);
    const events = storedState.durable.get(SESSION) ?? [];
    events.splice(3, 0, { eventId: 'e-9', fingerprint: hello, clientKey: clientKeyOf(1) });
    // Without Redis, whose copy would differ.
    expect(rulesOf({ storedState: { ...storedState, live: new Map() } })).toContain('duplicate');
  });

  it('reports frames of another chat', () => {
    expect(rulesOf(complaining('typing of the unknown chat s-2'))).toEqual(['cross-talk']);
    expect(rulesOf(complaining('s-1: a message of another chat: s-2 5 hello'))).toEqual(['cross-talk']);
  });

  it('reports a user in two chats', () => {
    expect(rulesOf(complaining('in two chats: s-1 and s-2'))).toEqual(['two chats or stuck']);
  });

  it('reports a stored chat without an end, even if it is in the log of no user', () => {
    expect(rulesOf({ storedState: storedStateOf(history.slice(0, 3)), logs: [] })).toEqual([
      'two chats or stuck',
    ]);
  });

  it('reports a chat that goes on after its end, unless the end was lost by a truncated file', () => {
    const logs = [logOf(ADA, BOB, { reopened: [{ endedAt: 12_000, at: 13_000 }] }), logOf(BOB, ADA)];
    const window = { label: 'truncated redis', from: 11_500, at: 11_600, to: 12_500 };
    expect(rulesOf({ logs, storedState: storedStateOf(history) })).toContain('order');
    expect(rulesOf({ logs, lossWindows: [window] })).not.toContain('order');
  });

  it('reports a chat that never ends, unless data was lost during it', () => {
    const storedState = storedStateOf(history.slice(0, 3));
    const earlier = { label: 'flushed redis', from: 0, at: 300, to: 800 };
    const during = { ...earlier, at: 19_000, to: 19_500 };
    expect(rulesOf({ storedState, lossWindows: [earlier] })).toContain('two chats or stuck');
    expect(rulesOf({ storedState, lossWindows: [during] })).not.toContain('two chats or stuck');
  });

  it('reports an event that differs between Redis and PostgreSQL', () => {
    const storedState = storedStateOf(history);
    storedState.live.set(SESSION, stored(history).with(1, { eventId: 'other', fingerprint: hello }));
    expect(rulesOf({ storedState })).toEqual(['order']);
  });

  it('reports what is left in outboxes, queues and dead letters', () => {
    expect(rulesOf({ storedState: storedStateOf(history, { waitingJobs: 1 }) })).toEqual(['left over']);
    expect(rulesOf({ storedState: storedStateOf(history, { outboxEntries: 1 }) })).toEqual(['left over']);
    expect(rulesOf({ storedState: storedStateOf(history, { deadLetters: 1 }) })).toEqual(['left over']);
  });

  it('reports a private message that was acknowledged and is not stored, or stored twice', () => {
    expect(rulesOf({ storedState: storedStateOf(history, { privateMessages: [] }) })).toEqual(['private']);
    const message = { id: 7, senderId: ADA, receiverId: BOB, content: 'private' };
    const twice = storedStateOf(history, { privateMessages: [message, { ...message, id: 8 }] });
    expect(rulesOf({ storedState: twice })).toEqual(['duplicate']);
  });

  it('reports a friendship that a user saw and that is not stored', () => {
    expect(rulesOf({ storedState: storedStateOf(history, { friendships: new Set() }) })).toEqual(['friends']);
  });
});
