import type { HouseRule, ReportCategory } from '@thaw/contract/safety';
import { createAutomaticSuspension, createUserFlagged, isFlagged } from './automatic-restriction.rules';
import type { ConductPolicy } from './conduct-policy.types';
import type { FileReport } from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import {
  type ConductState,
  type FiledReport,
  isInForce,
  listReportsOfCase,
  listSanctionsOfCase,
} from './conduct-state.types';

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

/**
 * Automatic care: flags a user whom several distinct reporters report in a short time, and suspends them if still more
 * of them do.
 * @param state includes the report that `command` files
 */
export const decideAutomaticCare = (
  command: FileReport,
  caseId: number,
  state: ConductState,
  { careWindowMs, reportersToFlag, reportersToSuspend, reviewMs }: ConductPolicy,
): readonly ConductEvent[] => {
  const { at } = command;
  const reports = listCountedReports(state, caseId, at, careWindowMs);
  const reporterCount = new Set(reports.map(({ countsAs }) => countsAs)).size;
  const events: ConductEvent[] = [];
  if (reporterCount >= reportersToFlag && !isFlagged(state, at))
    events.push(createUserFlagged(command, caseId, 'reports'));
  const until = new Date(at.getTime() + reviewMs);
  const maySuspend = !hasSuspendedAutomatically(state, caseId) && !isSanctionedUntil(state, at, until);
  if (reporterCount >= reportersToSuspend && maySuspend)
    events.push(createAutomaticSuspension(command, { caseId, rule: chooseRule(reports), until }));
  return events;
};

/** The recent reports of the case. Those of unreliable reporters have weight 0 and do not count. */
const listCountedReports = (
  state: ConductState,
  caseId: number,
  at: Date,
  careWindowMs: number,
): FiledReport[] =>
  listReportsOfCase(state, caseId).filter(
    ({ weight, filedAt }) =>
      weight === 1 &&
      at.getTime() - filedAt.getTime() < careWindowMs &&
      isAfterLastReversal(filedAt, state, caseId),
  );

/**
 * A case suspends automatically once, and again after a reversal. Without this limit, a group of reporters could extend
 * the suspension indefinitely.
 */
const hasSuspendedAutomatically = (state: ConductState, caseId: number): boolean =>
  listSanctionsOfCase(state, caseId).some(
    ({ isAutomatic, imposedAt }) => isAutomatic && isAfterLastReversal(imposedAt, state, caseId),
  );

/** Whether no appeal of the user has reversed a sanction or a flag of the case since `time`. */
const isAfterLastReversal = (time: Date, { cases }: ConductState, caseId: number): boolean => {
  const lastReversalAt = cases.get(caseId)?.lastReversalAt ?? null;
  return lastReversalAt === null || time > lastReversalAt;
};

/** Whether a sanction that is in force at `at` lasts at least until `until`. */
const isSanctionedUntil = ({ sanctions }: ConductState, at: Date, until: Date): boolean =>
  [...sanctions.values()].some(
    (sanction) => isInForce(sanction, at) && (sanction.until === null || sanction.until >= until),
  );

/** The rule of the most frequent category, and of the gravest one among equally frequent ones. */
const chooseRule = (reports: readonly FiledReport[]): HouseRule => {
  const categories = Object.keys(ruleByCategory) as ReportCategory[];
  const count = (category: ReportCategory): number =>
    reports.filter((report) => report.category === category).length;
  // The sort is stable, so equally frequent categories stay in the order of gravity.
  const [mostFrequent = 'other'] = categories.sort((one, other) => count(other) - count(one));
  return ruleByCategory[mostFrequent];
};
