import { doFingerprintsMatch, type Fingerprint, ANY_FINGERPRINT } from './fingerprint';
import type { ChatAck, ChatRecord, UserLog } from './user-log';
import type { StoredEvent, StoredState } from './stored-state';

/** A period whose acknowledged data may have been lost to a fault. Times are `Date.now()`. */
export interface LossWindow {
  label: string;
  /** Data acknowledged from here on may be lost. */
  from: number;
  /** When the data was removed. */
  at: number;
  /** Data acknowledged up to here may be lost. */
  to: number;
}

export interface Loss {
  sessionId: string;
  userId: number;
  seq: number;
  fingerprint: Fingerprint;
  ackedAt: number;
  /** Label of the fault that explains the loss; undefined: a violation. */
  allowedBy: string | undefined;
}

export type Rule =
  | 'lost'
  | 'duplicate'
  | 'order'
  | 'cross-talk'
  | 'two chats or stuck'
  | 'not notified'
  | 'left over'
  | 'private'
  | 'friends'
  | 'images'
  | 'at rest'
  | 'recovery'
  | 'noticed by a user';

export interface Violation {
  rule: Rule;
  what: string;
  /** When a user noticed it, as `Date.now()`. */
  at?: number;
}

export interface Verdict {
  violations: Violation[];
  losses: Loss[];
  acknowledgements: { chat: number; private: number };
}

/** Input of the checker. */
export interface Evidence {
  logs: readonly UserLog[];
  storedState: StoredState;
  lossWindows: readonly LossWindow[];
}

/** Compares what users saw and had acknowledged with the stores. Pure: its only times are those of the evidence. */
export const checkEvidence = (evidence: Evidence): Verdict => {
  const violations: Violation[] = [];
  const losses: Loss[] = [];
  const report: Report = (rule, what, at) => void violations.push({ rule, what, at });
  for (const log of evidence.logs) {
    for (const { at, what } of log.problems) report(classifyProblem(what), `user ${log.userId}: ${what}`, at);
    for (const chat of log.chats.values()) checkChat(evidence, log, chat, report, losses);
    checkPrivateMessages(evidence, log, report);
    checkFriends(evidence, log, report);
  }
  checkSides(evidence, report);
  checkStores(evidence, report);
  for (const loss of losses.filter(({ allowedBy }) => allowedBy === undefined)) {
    report('lost', `${loss.sessionId} ${loss.seq} of user ${loss.userId}: ${loss.fingerprint}`);
  }
  const sumOverLogs = (countIn: (log: UserLog) => number): number =>
    evidence.logs.reduce((total, log) => total + countIn(log), 0);
  return {
    violations,
    losses,
    acknowledgements: {
      chat: sumOverLogs(({ chats }) =>
        [...chats.values()].reduce((total, { acks }) => total + acks.length, 0),
      ),
      private: sumOverLogs(({ privateAcks }) => privateAcks.length),
    },
  };
};

/** An end that is younger than this when data is lost may not be in PostgreSQL yet, and is then lost with Redis. */
const UNPERSISTED_END_MS = 3_000;
/** The grace period of a user who does not return, plus the time until the partner is notified. */
const END_AFTER_LOSS_MS = 45_000;

type Report = (rule: Rule, what: string, at?: number) => void;

/** Finds the rule that a problem violates by its text: users report problems as sentences. */
const classifyProblem = (problem: string): Rule => {
  if (/delivered twice/.test(problem)) return 'duplicate';
  if (/a gap|resumed up to|another content|after the end/.test(problem)) return 'order';
  if (/unknown chat|of another chat|private message between|another partner/.test(problem))
    return 'cross-talk';
  if (/in two chats/.test(problem)) return 'two chats or stuck';
  if (/not notified/.test(problem)) return 'not notified';
  return 'noticed by a user';
};

const findLossWindow = ({ lossWindows }: Evidence, ack: ChatAck): LossWindow | undefined =>
  lossWindows.find(({ from, to }) => ack.at >= from && ack.at <= to);

/** The stored events of a chat. PostgreSQL is complete once the outboxes are empty. */
const readStoredEvents = ({ storedState }: Evidence, sessionId: string): readonly StoredEvent[] =>
  storedState.durable.get(sessionId) ?? [];

const checkChat = (
  evidence: Evidence,
  { userId }: UserLog,
  chat: ChatRecord,
  report: Report,
  losses: Loss[],
): void => {
  const stored = readStoredEvents(evidence, chat.sessionId);
  const name = `${chat.sessionId} of user ${userId}`;
  for (const { endedAt } of chat.reopened) {
    const isExplained = evidence.lossWindows.some(({ from, to }) => endedAt >= from && endedAt <= to);
    if (!isExplained) report('order', `${name}: continued after it had ended`);
  }
  const lost: ChatAck[] = [];
  for (const ack of chat.acks) {
    const storedEvent = stored[ack.seq - 1];
    // An end is also acknowledged when the chat was already over or is lost.
    if (
      ack.fingerprint === ANY_FINGERPRINT ||
      (storedEvent && doFingerprintsMatch(storedEvent.fingerprint, ack.fingerprint))
    )
      continue;
    const isElsewhere = stored.some(({ fingerprint }) => fingerprint === ack.fingerprint);
    if (isElsewhere && !mayDifferFromStored(evidence, chat)) {
      report('order', `${name}: acknowledged as ${ack.seq} and stored elsewhere: ${ack.fingerprint}`);
    } else if (!isElsewhere) {
      lost.push(ack);
      const { seq, fingerprint, at: ackedAt } = ack;
      const allowedBy = findLossWindow(evidence, ack)?.label;
      losses.push({ sessionId: chat.sessionId, userId, seq, fingerprint, ackedAt, allowedBy });
    }
  }
  if (lost.length > 0 && !wasNotified(chat, lost)) {
    report('not notified', `${name}: lost ${lost.length} acknowledged, without a reset or an end`);
  }
  if (mayDifferFromStored(evidence, chat)) return;
  for (const [seq, fingerprint] of chat.events) {
    const storedEvent = stored[seq - 1];
    if (!storedEvent || !doFingerprintsMatch(storedEvent.fingerprint, fingerprint)) {
      report(
        'order',
        `${name}: saw ${fingerprint} as ${seq}; stored there: ${storedEvent?.fingerprint ?? 'nothing'}`,
      );
    }
  }
};

/** A chat that lost data and ended because of it: users may have seen events other than the stored ones. */
const mayDifferFromStored = ({ lossWindows }: Evidence, { startedAt, endedAt }: ChatRecord): boolean =>
  endedAt !== undefined &&
  lossWindows.some(
    ({ at, to }) =>
      startedAt <= to && endedAt >= at - UNPERSISTED_END_MS && endedAt <= to + END_AFTER_LOSS_MS,
  );

/** Chats that were open when data was removed from Redis. */
const findAffectedChats = ({ logs, lossWindows }: Evidence): ReadonlySet<string> =>
  new Set(
    logs.flatMap(({ chats }) =>
      [...chats.values()]
        .filter(({ startedAt, endedAt = Infinity }) =>
          lossWindows.some(({ at, to }) => startedAt <= to && endedAt >= at - UNPERSISTED_END_MS),
        )
        .map(({ sessionId }) => sessionId),
    ),
  );

const wasNotified = ({ resetAt, endedAt }: ChatRecord, lost: readonly ChatAck[]): boolean => {
  const lostAt = Math.max(...lost.map(({ at }) => at));
  return (endedAt !== undefined && endedAt >= lostAt) || resetAt.some((at) => at >= lostAt);
};

/** Reports events that the two participants of a chat saw differently. */
const checkSides = ({ logs }: Evidence, report: Report): void => {
  const byUser = new Map(logs.map((log) => [log.userId, log]));
  for (const { userId, chats } of logs) {
    for (const chat of chats.values()) {
      const partnerChat = byUser.get(chat.partnerId)?.chats.get(chat.sessionId);
      if (!partnerChat || userId > chat.partnerId) continue;
      for (const [seq, fingerprint] of chat.events) {
        const other = partnerChat.events.get(seq);
        if (other !== undefined && !doFingerprintsMatch(other, fingerprint))
          report('order', `${chat.sessionId} ${seq}: ${fingerprint} on one side, ${other} on the other`);
      }
    }
  }
};

const checkStores = (evidence: Evidence, report: Report): void => {
  const { storedState } = evidence;
  const affected = findAffectedChats(evidence);
  for (const [sessionId, events] of storedState.durable) {
    const ids = events.map(({ eventId }) => eventId);
    if (new Set(ids).size !== ids.length) report('duplicate', `${sessionId}: an event is stored twice`);
    const keys = events.flatMap(({ clientKey }) => clientKey ?? []);
    if (new Set(keys).size !== keys.length) report('duplicate', `${sessionId}: a message is stored twice`);
    const ends = events.filter(({ fingerprint }) => fingerprint.startsWith('end '));
    // If Redis lost an end that PostgreSQL had, the chat continued and ended again.
    if (ends.length > 1 && !affected.has(sessionId))
      report('duplicate', `${sessionId} has ended ${ends.length} times`);
    if (ends.length === 0 && !affected.has(sessionId))
      report('two chats or stuck', `${sessionId} has no end in PostgreSQL`);
  }
  for (const [sessionId, live] of storedState.live) {
    const problem = describeDifference(
      live,
      storedState.durable.get(sessionId) ?? [],
      affected.has(sessionId),
    );
    if (problem) report('order', `${sessionId}: ${problem}`);
  }
  if (storedState.outboxEntries > 0) report('left over', `${storedState.outboxEntries} entries in outboxes`);
  if (storedState.waitingJobs > 0) report('left over', `${storedState.waitingJobs} jobs wait`);
  if (storedState.deadLetters > 0) report('left over', `${storedState.deadLetters} dead letters`);
};

/**
 * Describes how the events of a chat in Redis differ from those in PostgreSQL.
 * @param isLossy Redis may lack events that PostgreSQL has; the events in Redis must be in PostgreSQL, in the same
 * order.
 */
const describeDifference = (
  live: readonly StoredEvent[],
  durable: readonly StoredEvent[],
  isLossy: boolean,
): string | undefined => {
  let expectedIndex = 0;
  for (const { eventId, fingerprint } of live) {
    const found = durable.findIndex((event, index) => index >= expectedIndex && event.eventId === eventId);
    if (found < 0 || (!isLossy && found !== expectedIndex))
      return `Redis has ${fingerprint}, PostgreSQL has ${durable[expectedIndex]?.fingerprint ?? 'nothing'} there`;
    expectedIndex = found + 1;
  }
  if (!isLossy && expectedIndex < durable.length)
    return `Redis has ${live.length} events, PostgreSQL ${durable.length}`;
  return undefined;
};

const checkPrivateMessages = ({ storedState }: Evidence, log: UserLog, report: Report): void => {
  const stored = new Map(storedState.privateMessages.map((message) => [message.id, message]));
  for (const { id, senderId, receiverId, content } of log.privateAcks) {
    const message = stored.get(id);
    const isStored =
      message?.content === content && message.senderId === senderId && message.receiverId === receiverId;
    if (!isStored)
      report('private', `user ${senderId}: ${id} to ${receiverId} was acknowledged and is not stored`);
    const copies = storedState.privateMessages.filter((other) => other.content === content).length;
    if (copies > 1) report('duplicate', `private message ${id} is stored ${copies} times`);
  }
  for (const [id, content] of log.privateReceived) {
    if (stored.get(id)?.content !== content)
      report('private', `user ${log.userId}: received ${id}, which differs from the stored message`);
  }
};

const checkFriends = ({ storedState }: Evidence, { userId, friends }: UserLog, report: Report): void => {
  for (const friendId of friends) {
    const pair = `${Math.min(userId, friendId)}-${Math.max(userId, friendId)}`;
    if (!storedState.friendships.has(pair))
      report('friends', `${pair}: the users were notified of a friendship that is not stored`);
  }
};
