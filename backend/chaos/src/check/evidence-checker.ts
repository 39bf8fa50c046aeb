import { doFingerprintsMatch, type Fingerprint, ANY_FINGERPRINT } from './fingerprint';
import type { ChatAck, ChatRecord, UserLog } from './user-log';
import type { StoredEvent, StoredState } from './stored-state';

/** A period whose acknowledged data a fault may have removed. All times are `Date.now()`. */
export interface LossWindow {
  /** Label of the fault. */
  label: string;
  /** Data acknowledged from this time on may be lost. Before the fault: data is persisted after it is acknowledged. */
  from: number;
  /** When the fault began that removed the data. */
  faultBeganAt: number;
  /** Data acknowledged up to this time may be lost. */
  to: number;
}

/** An acknowledged event that is not stored. */
export interface Loss {
  sessionId: string;
  userId: number;
  seq: number;
  fingerprint: Fingerprint;
  ackedAt: number;
  /** Label of the fault that explains the loss; undefined: the loss is a violation. */
  explainedBy: string | undefined;
}

/** The rules of a run. Each comment states a rule; the name below it stands for a violation in the report. */
export type Rule =
  /** An acknowledged event is stored. */
  | 'lost'
  /** No event is delivered or stored twice. */
  | 'duplicate'
  /** Both users of a chat, Redis and PostgreSQL have the same events in the same order. */
  | 'order'
  /** No user receives an event of a chat in which they are not. */
  | 'cross-talk'
  /** No user is in two chats, and no user or chat is stuck. */
  | 'two chats or stuck'
  /** Users are notified when their chat has ended or has lost events. */
  | 'not notified'
  /** The outboxes, the queues and the dead letters are empty at the end. */
  | 'left over'
  /** Private messages are stored as they were acknowledged and received. */
  | 'private'
  /** Friendships of which users were notified are stored. */
  | 'friends'
  /** Users can open the images that they have sent or received. */
  | 'images'
  /** No process or store holds more resources than before, while no user is connected. */
  | 'at rest'
  /** The service works again soon after a fault. */
  | 'recovery'
  /** Users notice no other problem. */
  | 'noticed by a user';

export interface Violation {
  rule: Rule;
  description: string;
  /** When a user noticed the violation, as `Date.now()`; undefined when the checker found it. */
  noticedAt?: number;
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

type ReportViolation = (rule: Rule, description: string, noticedAt?: number) => void;

/** Compares the events that users received and got acknowledged with the events in the stores. */
export const checkEvidence = (evidence: Evidence): Verdict => {
  const violations: Violation[] = [];
  const losses: Loss[] = [];
  const report: ReportViolation = (rule, description, noticedAt) => {
    violations.push({ rule, description, noticedAt });
  };
  for (const log of evidence.logs) {
    for (const { noticedAt, description } of log.problems)
      report(classifyProblem(description), `user ${log.userId}: ${description}`, noticedAt);
    for (const chat of log.chats.values()) losses.push(...checkChat(evidence, log.userId, chat, report));
    checkPrivateMessages(evidence, log, report);
    checkFriends(evidence, log, report);
  }
  compareParticipants(evidence, report);
  checkStores(evidence, report);
  for (const loss of losses.filter(({ explainedBy }) => explainedBy === undefined)) {
    report('lost', `${loss.sessionId} ${loss.seq} of user ${loss.userId}: ${loss.fingerprint}`);
  }
  const chats = evidence.logs.flatMap((log) => [...log.chats.values()]);
  return {
    violations,
    losses,
    acknowledgements: {
      chat: chats.flatMap(({ acks }) => acks).length,
      private: evidence.logs.flatMap(({ privateAcks }) => privateAcks).length,
    },
  };
};

/** How long the end of a chat may be missing in PostgreSQL. A fault of Redis in this time may remove the end. */
const UNPERSISTED_END_MS = 3_000;
/**
 * Time within which a chat ends because of a loss: the grace period of a user who does not return (35 s), plus the time
 * until the partner is notified.
 */
const END_AFTER_LOSS_MS = 45_000;

/** Finds the rule that a problem violates. `FrameRecorder` and `SimulatedUser` write descriptions with these words. */
const classifyProblem = (problem: string): Rule => {
  if (/delivered twice/.test(problem)) return 'duplicate';
  if (/a gap|resumed up to|another content|after the end/.test(problem)) return 'order';
  if (/unknown chat|of another chat|private message between|another partner/.test(problem))
    return 'cross-talk';
  if (/in two chats/.test(problem)) return 'two chats or stuck';
  if (/not notified/.test(problem)) return 'not notified';
  return 'noticed by a user';
};

/** Returns the loss window in which the time lies. */
const findLossWindow = ({ lossWindows }: Evidence, time: number): LossWindow | undefined =>
  lossWindows.find(({ from, to }) => time >= from && time <= to);

/** Returns the events of a chat in PostgreSQL, which has all events, because the evidence is read after a drain. */
const getStoredEvents = ({ storedState }: Evidence, sessionId: string): readonly StoredEvent[] =>
  storedState.postgresChats.get(sessionId) ?? [];

/** Whether the event that is stored with this seq, which counts from 1, has this fingerprint. */
const isStoredAs = (storedEvents: readonly StoredEvent[], seq: number, fingerprint: Fingerprint): boolean => {
  const storedEvent = storedEvents[seq - 1];
  return storedEvent !== undefined && doFingerprintsMatch(storedEvent.fingerprint, fingerprint);
};

/** Checks a chat as one of its users has seen it. @returns the acknowledged events that are not stored */
const checkChat = (evidence: Evidence, userId: number, chat: ChatRecord, report: ReportViolation): Loss[] => {
  const reportForChat: ReportViolation = (rule, description) =>
    report(rule, `${chat.sessionId} of user ${userId}: ${description}`);
  checkReopenings(evidence, chat, reportForChat);
  const lostAcks = checkAcks(evidence, chat, reportForChat);
  checkSeenEvents(evidence, chat, reportForChat);
  return lostAcks.map(({ seq, fingerprint, ackedAt }) => ({
    sessionId: chat.sessionId,
    userId,
    seq,
    fingerprint,
    ackedAt,
    explainedBy: findLossWindow(evidence, ackedAt)?.label,
  }));
};

/** Reports a chat that continued after its end, unless a fault may have removed the end. */
const checkReopenings = (evidence: Evidence, chat: ChatRecord, report: ReportViolation): void => {
  for (const { endedAt } of chat.reopenings) {
    if (!findLossWindow(evidence, endedAt)) report('order', 'continued after it had ended');
  }
};

/** Reports acknowledged events that are stored with another seq. @returns the acks of events that are not stored */
const checkAcks = (evidence: Evidence, chat: ChatRecord, report: ReportViolation): ChatAck[] => {
  const storedEvents = getStoredEvents(evidence, chat.sessionId);
  const lostAcks: ChatAck[] = [];
  for (const ack of chat.acks) {
    // The ack of a command to end the chat. The command is also acknowledged, without an event, if the chat has ended
    // already or is lost.
    if (ack.fingerprint === ANY_FINGERPRINT) continue;
    if (isStoredAs(storedEvents, ack.seq, ack.fingerprint)) continue;
    // Without `doFingerprintsMatch`: a stored event with `ANY_FINGERPRINT` would match every ack.
    const isStoredElsewhere = storedEvents.some(({ fingerprint }) => fingerprint === ack.fingerprint);
    if (!isStoredElsewhere) lostAcks.push(ack);
    else if (!mayHaveEndedByLoss(evidence, chat))
      report('order', `acknowledged as ${ack.seq} and stored elsewhere: ${ack.fingerprint}`);
  }
  if (lostAcks.length > 0 && !wasNotified(chat, lostAcks))
    report('not notified', `lost ${lostAcks.length} acknowledged, without a reset or an end`);
  return lostAcks;
};

/** Reports events that the user has seen and that are not stored with the same seq. */
const checkSeenEvents = (evidence: Evidence, chat: ChatRecord, report: ReportViolation): void => {
  if (mayHaveEndedByLoss(evidence, chat)) return;
  const storedEvents = getStoredEvents(evidence, chat.sessionId);
  for (const [seq, fingerprint] of chat.events) {
    if (isStoredAs(storedEvents, seq, fingerprint)) continue;
    const storedFingerprint = storedEvents[seq - 1]?.fingerprint ?? 'nothing';
    report('order', `saw ${fingerprint} as ${seq}; stored there: ${storedFingerprint}`);
  }
};

/** Whether a fault may have removed the data of the chat from Redis: it was open, or its end was not persisted yet. */
const isAffected = (
  { startedAt, endedAt = Infinity }: ChatRecord,
  { faultBeganAt, to }: LossWindow,
): boolean => startedAt <= to && endedAt >= faultBeganAt - UNPERSISTED_END_MS;

/** Whether the chat may have ended because of a loss. Its users may then have seen events that are not stored. */
const mayHaveEndedByLoss = ({ lossWindows }: Evidence, chat: ChatRecord): boolean => {
  const { endedAt } = chat;
  return (
    endedAt !== undefined &&
    lossWindows.some((window) => isAffected(chat, window) && endedAt <= window.to + END_AFTER_LOSS_MS)
  );
};

/** Returns the session ids of the chats of which a fault may have removed data. */
const findAffectedChats = ({ logs, lossWindows }: Evidence): ReadonlySet<string> =>
  new Set(
    logs.flatMap(({ chats }) =>
      [...chats.values()]
        .filter((chat) => lossWindows.some((window) => isAffected(chat, window)))
        .map(({ sessionId }) => sessionId),
    ),
  );

/** Whether the user received a reset or the end of the chat after the last of the lost acknowledgements. */
const wasNotified = ({ resetTimes, endedAt }: ChatRecord, lostAcks: readonly ChatAck[]): boolean => {
  const lastAckedAt = Math.max(...lostAcks.map(({ ackedAt }) => ackedAt));
  return (
    (endedAt !== undefined && endedAt >= lastAckedAt) || resetTimes.some((resetAt) => resetAt >= lastAckedAt)
  );
};

/** Reports events that the two participants of a chat have seen differently. */
const compareParticipants = ({ logs }: Evidence, report: ReportViolation): void => {
  const logByUser = new Map(logs.map((log) => [log.userId, log]));
  for (const { userId, chats } of logs) {
    for (const chat of chats.values()) {
      const partnerChat = logByUser.get(chat.partnerId)?.chats.get(chat.sessionId);
      // Each chat is compared once, from the participant with the lower id.
      if (!partnerChat || userId > chat.partnerId) continue;
      for (const [seq, fingerprint] of chat.events) {
        const partnerFingerprint = partnerChat.events.get(seq);
        if (partnerFingerprint !== undefined && !doFingerprintsMatch(partnerFingerprint, fingerprint))
          report(
            'order',
            `${chat.sessionId} ${seq}: ${fingerprint} on one side, ${partnerFingerprint} on the other`,
          );
      }
    }
  }
};

const hasDuplicates = (values: readonly unknown[]): boolean => new Set(values).size !== values.length;

const checkStores = (evidence: Evidence, report: ReportViolation): void => {
  const { storedState } = evidence;
  const affectedChats = findAffectedChats(evidence);
  for (const [sessionId, events] of storedState.postgresChats) {
    if (hasDuplicates(events.map(({ eventId }) => eventId)))
      report('duplicate', `${sessionId}: an event is stored twice`);
    const messageKeys = events.map(({ messageKey }) => messageKey).filter((key) => key !== undefined);
    if (hasDuplicates(messageKeys)) report('duplicate', `${sessionId}: a message is stored twice`);
    // A loss explains a missing end. It also explains a second one: if Redis lost the first, the chat continued.
    if (affectedChats.has(sessionId)) continue;
    const endCount = events.filter(({ fingerprint }) => fingerprint.startsWith('end ')).length;
    if (endCount > 1) report('duplicate', `${sessionId} has ended ${endCount} times`);
    if (endCount === 0) report('two chats or stuck', `${sessionId} has no end in PostgreSQL`);
  }
  for (const [sessionId, redisEvents] of storedState.redisChats) {
    const postgresEvents = getStoredEvents(evidence, sessionId);
    const difference = describeDifference(redisEvents, postgresEvents, {
      mayLackEvents: affectedChats.has(sessionId),
    });
    if (difference) report('order', `${sessionId}: ${difference}`);
  }
  if (storedState.outboxEntries > 0) report('left over', `${storedState.outboxEntries} entries in outboxes`);
  if (storedState.waitingJobs > 0) report('left over', `${storedState.waitingJobs} jobs wait`);
  if (storedState.deadLetters > 0) report('left over', `${storedState.deadLetters} dead letters`);
};

/**
 * Describes the first difference between the events of a chat in Redis and those in PostgreSQL.
 * @param options.mayLackEvents whether Redis may lack events that PostgreSQL has; the others have the same order
 * @returns undefined when there is no difference other than the events that Redis may lack
 */
const describeDifference = (
  redisEvents: readonly StoredEvent[],
  postgresEvents: readonly StoredEvent[],
  { mayLackEvents }: { mayLackEvents: boolean },
): string | undefined => {
  let expectedIndex = 0;
  for (const { eventId, fingerprint } of redisEvents) {
    const foundIndex = postgresEvents.findIndex(
      (event, index) => index >= expectedIndex && event.eventId === eventId,
    );
    if (foundIndex < 0 || (!mayLackEvents && foundIndex !== expectedIndex)) {
      const expectedFingerprint = postgresEvents[expectedIndex]?.fingerprint ?? 'nothing';
      return `Redis has ${fingerprint}, PostgreSQL has ${expectedFingerprint} there`;
    }
    expectedIndex = foundIndex + 1;
  }
  if (!mayLackEvents && expectedIndex < postgresEvents.length)
    return `Redis has ${redisEvents.length} events, PostgreSQL ${postgresEvents.length}`;
  return undefined;
};

const checkPrivateMessages = ({ storedState }: Evidence, log: UserLog, report: ReportViolation): void => {
  const storedById = new Map(storedState.privateMessages.map((message) => [message.id, message]));
  for (const { id, senderId, receiverId, content } of log.privateAcks) {
    const message = storedById.get(id);
    const isStored =
      message?.content === content && message.senderId === senderId && message.receiverId === receiverId;
    if (!isStored)
      report('private', `user ${senderId}: ${id} to ${receiverId} was acknowledged and is not stored`);
    // Every content is unique: it contains the sender and a number.
    const copyCount = storedState.privateMessages.filter((other) => other.content === content).length;
    if (copyCount > 1) report('duplicate', `private message ${id} is stored ${copyCount} times`);
  }
  for (const [id, content] of log.privateReceived) {
    if (storedById.get(id)?.content !== content)
      report('private', `user ${log.userId}: received ${id}, which differs from the stored message`);
  }
};

const checkFriends = (
  { storedState }: Evidence,
  { userId, friends }: UserLog,
  report: ReportViolation,
): void => {
  for (const friendId of friends) {
    // As in `StoredState.friendships`.
    const pair = `${Math.min(userId, friendId)}-${Math.max(userId, friendId)}`;
    if (!storedState.friendships.has(pair))
      report('friends', `${pair}: the users were notified of a friendship that is not stored`);
  }
};
