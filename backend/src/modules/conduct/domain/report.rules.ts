import type { HouseRule, ReportCategory } from '@thaw/contract/safety';
import { DomainError } from '../../../platform/errors/domain.errors';
import { createEvent } from './conduct-event.factory';
import type { ConductPolicy } from './conduct-policy.types';
import type { FileReport, RaiseFinding } from './conduct.commands';
import type { ConductEvent, ReportContext } from './conduct.events';
import {
  type ConductState,
  type FiledReport,
  findUndecidedCase,
  isInForce,
  listReportsOfCase,
  listSanctionsOfCase,
} from './conduct-state.types';

const DAY_MS = 24 * 60 * 60_000;
/** A flag (the user is matched only with other flagged users) ends after this time, even if its case is undecided. */
export const FLAG_MAX_MS = 30 * DAY_MS;
/** A user who states an age under 18 again within this time is suspended. */
export const REPEATED_AGE_STATEMENT_MS = 30 * DAY_MS;

/** The house rule that a report's category is about. The gravest category comes first; `chooseRule` needs the order. */
const ruleByCategory: Record<ReportCategory, HouseRule> = {
  minor: 'adults_only',
  threat: 'no_threats',
  self_harm: 'no_threats',
  sexual: 'no_unwanted_sexual',
  hate: 'no_hate',
  privacy: 'no_private_data',
  spam: 'no_spam',
  other: 'no_illegal',
};

/** For two reports of one reporter about one user. These two users have only one private chat with each other. */
const isSameChat = (one: ReportContext, other: ReportContext): boolean =>
  one.where === 'random_chat' && other.where === 'random_chat'
    ? one.sessionId === other.sessionId
    : one.where === other.where;

/**
 * The report that the reporter has filed about the same chat; null if there is none. A private chat can be reported
 * again once the earlier report is decided, since the chat continues.
 */
export const findSameReport = (
  { reports }: ConductState,
  { reporterId, context }: Pick<FileReport, 'reporterId' | 'context'>,
): FiledReport | null =>
  [...reports.values()].find(
    (report) =>
      report.reporterId === reporterId &&
      isSameChat(report.context, context) &&
      (context.where === 'random_chat' || !report.isDecided),
  ) ?? null;

/**
 * Repeating a report results in no event.
 * @throws DomainError not_found when users report themselves
 */
export const decideReport = (
  command: FileReport,
  state: ConductState,
  policy: ConductPolicy,
): readonly ConductEvent[] => {
  const { ids, at, userId, reporterId, category, context, words, evidence, evidenceHash, weight } = command;
  if (reporterId === userId) throw new DomainError('not_found');
  if (findSameReport(state, command)) return [];
  const undecided = findUndecidedCase(state);
  const caseId = undecided?.caseId ?? ids.nextNumber();
  const report: FiledReport = {
    reportId: ids.nextNumber(),
    caseId,
    reporterId,
    countsAs: computeCountsAs(command, state, caseId),
    weight,
    category,
    context,
    filedAt: at,
    isDecided: false,
    hasExpired: false,
  };
  const { reportId, countsAs } = report;
  return [
    ...(undecided ? [] : [createEvent(command, 'CaseOpened', { caseId, kind: 'reports' })]),
    createEvent(command, 'ReportFiled', {
      reportId,
      caseId,
      reporterId,
      countsAs,
      weight,
      category,
      context,
      evidenceHash,
      words,
      evidence,
    }),
    ...decideAutomaticCare(command, state, caseId, [...listReportsOfCase(state, caseId), report], policy),
  ];
};

/**
 * The user id under which a report counts. The accounts of one device share an id within a case, so that they count as
 * one reporter. If they reported before they shared the device, they have different ids; the lowest is used.
 */
const computeCountsAs = (
  { reporterId, deviceAccountIds }: FileReport,
  state: ConductState,
  caseId: number,
): number => {
  const earlierIds = listReportsOfCase(state, caseId)
    .filter((report) => report.reporterId === reporterId || deviceAccountIds.includes(report.reporterId))
    .map(({ countsAs }) => countsAs);
  return earlierIds.length > 0 ? Math.min(...earlierIds) : reporterId;
};

/**
 * Automatic care: flags and then suspends a user whom several distinct reporters report in a short time. Reports of
 * unreliable reporters have weight 0 and do not count.
 */
const decideAutomaticCare = (
  command: FileReport,
  state: ConductState,
  caseId: number,
  reports: readonly FiledReport[],
  { careWindowMs, reportersToFlag, reportersToSuspend, reviewMs }: ConductPolicy,
): readonly ConductEvent[] => {
  const { ids, at } = command;
  // After an appeal of the user has reversed a sanction or a flag, earlier reports no longer count.
  const lastReversalAt = state.cases.get(caseId)?.lastReversalAt ?? null;
  const countedReports = reports.filter(
    ({ weight, filedAt }) =>
      weight === 1 &&
      at.getTime() - filedAt.getTime() < careWindowMs &&
      (lastReversalAt === null || filedAt > lastReversalAt),
  );
  const reporterCount = new Set(countedReports.map(({ countsAs }) => countsAs)).size;
  const events: ConductEvent[] = [];
  if (reporterCount >= reportersToFlag && !isFlagged(state, at))
    events.push(createUserFlagged(command, caseId, 'reports'));
  const until = new Date(at.getTime() + reviewMs);
  // A case suspends automatically once, and again after a reversal. Without this limit, a group of reporters could
  // extend the suspension indefinitely.
  const wasSuspended = listSanctionsOfCase(state, caseId).some(
    ({ isAutomatic, imposedAt }) => isAutomatic && (lastReversalAt === null || imposedAt > lastReversalAt),
  );
  if (reporterCount >= reportersToSuspend && !wasSuspended && !isSanctionedUntil(state, at, until))
    events.push(
      createEvent(command, 'SanctionImposed', {
        sanctionId: ids.nextNumber(),
        noticeId: ids.nextNumber(),
        kind: 'suspended',
        rule: chooseRule(countedReports),
        until: until.toISOString(),
        caseId,
        isAutomatic: true,
        inheritedFrom: null,
      }),
    );
  return events;
};

export const isFlagged = ({ standing: { flag } }: ConductState, at: Date): boolean =>
  flag !== null && flag.until > at;

/** An event that flags the user until `until`. Its stored type is `PersonFlagged`. */
export const createUserFlagged = (
  command: Pick<FileReport, 'ids' | 'at' | 'userId'>,
  caseId: number | null,
  cause: 'reports' | 'many_accounts' | 'sanction_lapsed',
  until = new Date(command.at.getTime() + FLAG_MAX_MS),
): ConductEvent =>
  createEvent(command, 'PersonFlagged', {
    caseId,
    until: until.toISOString(),
    cause,
    noticeId: command.ids.nextNumber(),
  });

/** Whether a sanction that is in force at `at` lasts at least until `until`. */
const isSanctionedUntil = ({ sanctions }: ConductState, at: Date, until: Date): boolean =>
  [...sanctions.values()].some(
    (sanction) => isInForce(sanction, at) && (sanction.until === null || sanction.until >= until),
  );

/** The rule of the most frequent category. Sorting keeps the order of equally frequent ones, the gravest first. */
const chooseRule = (reports: readonly FiledReport[]): HouseRule => {
  const categories = Object.keys(ruleByCategory) as ReportCategory[];
  const count = (category: ReportCategory): number =>
    reports.filter((report) => report.category === category).length;
  const [mostFrequent = 'other'] = categories.sort((one, other) => count(other) - count(one));
  return ruleByCategory[mostFrequent];
};

/**
 * An automatic finding about the user opens a case or joins the undecided one. If it has a `rule`, as an
 * `image_match` may, it also suspends the user. Repeating a finding of the same source results in no event.
 */
export const decideFinding = (command: RaiseFinding, state: ConductState): readonly ConductEvent[] => {
  const { ids, at, finding, sourceEventId, evidence, evidenceHash, rule } = command;
  if (state.sourceEventIds.has(sourceEventId)) return [];
  const undecided = findUndecidedCase(state);
  const caseId = undecided?.caseId ?? ids.nextNumber();
  return [
    ...(undecided ? [] : [createEvent(command, 'CaseOpened', { caseId, kind: 'finding' })]),
    createEvent(command, 'FindingRaised', { caseId, finding, sourceEventId, evidenceHash, evidence }),
    ...(finding === 'many_accounts' && !isFlagged(state, at)
      ? [createUserFlagged(command, caseId, finding)]
      : []),
    ...(finding === 'stated_age' ? decideStatedAge(command, state, caseId) : []),
    ...(rule && !hasSanctionWithoutEnd(state) ? [createSuspensionUntilDecided(command, caseId, rule)] : []),
  ];
};

/** Asks the user for their age, or suspends them if they were asked before. */
const decideStatedAge = (
  command: RaiseFinding,
  state: ConductState,
  caseId: number,
): readonly ConductEvent[] => {
  const { ids, at } = command;
  const isRepeated = state.ageQuestionTimes.some(
    (askedAt) => at.getTime() - askedAt.getTime() < REPEATED_AGE_STATEMENT_MS,
  );
  if (isRepeated) return hasSanctionWithoutEnd(state) ? [] : [createSuspensionUntilDecided(command, caseId)];
  return [createEvent(command, 'AgeAsked', { noticeId: ids.nextNumber(), caseId })];
};

const hasSanctionWithoutEnd = ({ sanctions }: ConductState): boolean =>
  [...sanctions.values()].some(({ isLifted, until }) => !isLifted && until === null);

/**
 * An event that suspends the user without an end: the decision of a moderator ends it.
 * @param rule by default, that of users who state an age under 18
 */
export const createSuspensionUntilDecided = (
  command: Pick<FileReport, 'ids' | 'at' | 'userId'>,
  caseId: number | null,
  rule: HouseRule = 'adults_only',
): ConductEvent =>
  createEvent(command, 'SanctionImposed', {
    sanctionId: command.ids.nextNumber(),
    noticeId: command.ids.nextNumber(),
    kind: 'suspended',
    rule,
    until: null,
    caseId,
    isAutomatic: true,
    inheritedFrom: null,
  });
