import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { CaseOutcome } from '@thaw/contract/moderation';
import type { HouseRule } from '@thaw/contract/safety';
import {
  ConductService,
  type FiledReportResult,
  type ConductRequest,
} from '../modules/conduct/application/conduct.service';

/** A replica, or another process that has `ConductService`. */
interface Replica {
  app: INestApplicationContext;
}

/** The moderator who decides by default. No user of a test has this id. */
export const MODERATOR_ID = 1;

/** Finds the only event of the given type in a result. @throws Error unless the result contains exactly one */
export const findEvent = <Type extends string>(
  { events }: Pick<FiledReportResult, 'events'>,
  type: Type,
): Extract<FiledReportResult['events'][number], { type: Type }> => {
  const [found, ...others] = events.filter((event) => event.type === type);
  if (!found || others.length > 0)
    throw new Error(`Expected one ${type}, got ${others.length + (found ? 1 : 0)}`);
  return found as Extract<FiledReportResult['events'][number], { type: Type }>;
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

/** Decides a case. By default a sanction cites the rule against hate, and a suspension ends after a week. */
export const decide = (
  { app }: Replica,
  userId: number,
  { caseId, version }: { caseId: number; version: number },
  outcome: CaseOutcome,
  overrides: Partial<ConductRequest<'DecideCase'>> = {},
) =>
  app.get(ConductService).decideCase({
    userId,
    caseId,
    version,
    outcome,
    moderatorId: MODERATOR_ID,
    excludedModeratorIds: [],
    isOnlyModerator: false,
    rule: outcome === 'dismissed' ? null : ('no_hate' satisfies HouseRule),
    facts: outcome === 'dismissed' ? null : 'You insulted your partner.',
    until: outcome === 'suspended' ? new Date(Date.now() + 7 * 24 * 60 * 60_000) : null,
    note: null,
    ...overrides,
  });

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
