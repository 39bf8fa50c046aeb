import { DomainError } from '../../../platform/errors/domain.errors';
import { decideAutomaticCare } from './automatic-care.rules';
import { createEvent } from './conduct-event.factory';
import type { ConductPolicy } from './conduct-policy.types';
import type { FileReport } from './conduct.commands';
import type { ConductEvent, ReportContext } from './conduct.events';
import {
  type ConductState,
  type FiledReport,
  findUndecidedCase,
  listReportsOfCase,
} from './conduct-state.types';
import { evolveConduct } from './conduct.state';

/**
 * A report opens a case about the user or joins the undecided one, and may lead to a restriction. Repeating a report
 * results in no event.
 * @throws DomainError not_found when users report themselves
 */
export const decideReport = (
  command: FileReport,
  state: ConductState,
  policy: ConductPolicy,
): readonly ConductEvent[] => {
  const { ids, userId, reporterId, category, context, words, evidence, evidenceHash, weight } = command;
  if (reporterId === userId) throw new DomainError('not_found');
  if (findSameReport(state, command)) return [];
  const undecided = findUndecidedCase(state);
  const caseId = undecided?.caseId ?? ids.nextNumber();
  const reportEvents = [
    ...(undecided ? [] : [createEvent(command, 'CaseOpened', { caseId, kind: 'reports' })]),
    createEvent(command, 'ReportFiled', {
      reportId: ids.nextNumber(),
      caseId,
      reporterId,
      countsAs: computeCountsAs(command, state, caseId),
      weight,
      category,
      context,
      evidenceHash,
      words,
      evidence,
    }),
  ];
  const stateWithReport = reportEvents.reduce(evolveConduct, state);
  return [...reportEvents, ...decideAutomaticCare(command, caseId, stateWithReport, policy)];
};

/** The report that the reporter has already filed about the same chat; null if they may report the chat. */
export const findSameReport = (
  { reports }: ConductState,
  { reporterId, context }: Pick<FileReport, 'reporterId' | 'context'>,
): FiledReport | null => {
  const ownReports = [...reports.values()].filter((report) => report.reporterId === reporterId);
  return ownReports.find((report) => isSameReport(report, context)) ?? null;
};

/** Whether a report of the same reporter about the same user forbids another one about the chat of `context`. */
const isSameReport = ({ context: reported, isDecided }: FiledReport, context: ReportContext): boolean => {
  if (context.where === 'random_chat')
    return reported.where === 'random_chat' && reported.sessionId === context.sessionId;
  // The only private chat of the two users continues after a report. It can be reported again after the decision.
  return reported.where === 'private_chat' && !isDecided;
};

/**
 * The user id under which a reporter is counted. The accounts of one device share this id within a case, so that they
 * count as one reporter. If they reported before they shared the device, they have different ids; the lowest is used.
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
