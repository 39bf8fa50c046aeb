import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { CaseOutcome } from '@thaw/contract/moderation';
import {
  ConductService,
  type ConductRequest,
  type ConductResult,
  type FiledReportResult,
} from '../modules/conduct/application/conduct.service';

const WEEK_MS = 7 * 24 * 60 * 60_000;

/** A replica, or another process that has `ConductService`. */
interface Replica {
  app: INestApplicationContext;
}

/** The moderator of `decide` by default. Users of tests have other ids. */
export const MODERATOR_ID = 1;

type EventOf<Type extends string> = Extract<ConductResult['events'][number], { type: Type }>;

/** Finds the only event of the given type in a result. @throws Error unless the result contains exactly one */
export const findEvent = <Type extends string>(
  { events }: Pick<ConductResult, 'events'>,
  type: Type,
): EventOf<Type> => {
  const matchingEvents = events.filter((event) => event.type === type);
  const [found] = matchingEvents;
  if (!found || matchingEvents.length > 1)
    throw new Error(`Expected one ${type}, got ${matchingEvents.length}`);
  return found as EventOf<Type>;
};

/** Reports a user, by default from a random chat of the reporter. */
export const fileReport = (
  { app }: Replica,
  userId: number,
  reporterId: number,
  overrides: Partial<ConductRequest<'FileReport'>> = {},
): Promise<FiledReportResult> =>
  app.get(ConductService).fileReport({
    userId,
    reporterId,
    category: 'hate',
    context: { where: 'random_chat', sessionId: `s-${reporterId}`, at: '2026-11-20T12:00:00.000Z' },
    words: 'An insult',
    evidence: '{}',
    // The SHA-256 of `{}`.
    evidenceHash: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
    deviceAccountIds: [reporterId], // no other account was used on the reporter's devices
    weight: 1, // counts towards automatic flagging and suspension
    ...overrides,
  });

/**
 * Decides a case. By default, every outcome but a dismissal cites the rule against hate, and a suspension ends after a
 * week.
 */
export const decide = (
  { app }: Replica,
  userId: number,
  { caseId, version }: { caseId: number; version: number },
  outcome: CaseOutcome,
  overrides: Partial<ConductRequest<'DecideCase'>> = {},
): Promise<ConductResult> => {
  const reason: Pick<ConductRequest<'DecideCase'>, 'rule' | 'facts'> = outcome === 'dismissed'
    ? { rule: null, facts: null }
    : { rule: 'no_hate', facts: 'You insulted your partner.' };
  return app.get(ConductService).decideCase({
    userId,
    caseId,
    version,
    outcome,
    moderatorId: MODERATOR_ID,
    excludedModeratorIds: [], // no moderator is a friend of the user or of a reporter
    isOnlyModerator: false,
    ...reason,
    until: outcome === 'suspended' ? new Date(Date.now() + WEEK_MS) : null,
    note: null,
    ...overrides,
  });
};

/** Warns a user. A finding of the image classifier opens the case, without a reporter. @returns the id of the notice */
export const warn = async (replica: Replica, userId: number): Promise<number> => {
  const raised = await replica.app.get(ConductService).raiseFinding({
    userId,
    finding: 'classifier',
    sourceEventId: randomUUID(),
    evidence: null,
    evidenceHash: null,
  });
  const { caseId } = findEvent(raised, 'FindingRaised').data;
  const decided = await decide(replica, userId, { caseId, version: raised.version }, 'warned');
  return findEvent(decided, 'PersonWarned').data.noticeId;
};
