import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { CaseRepository, type CaseRow, type ConductEventRow } from '../infrastructure/case.repository';

export interface Involvement {
  /** Moderators who are friends of the user or of a reporter. */
  friendIds: number[];
  isOnlyModerator: boolean;
}

/** A decision or an escalation that another moderator has to review. `at`: the time since when it waits. */
interface ActToReview {
  moderatorId: unknown;
  at: Date;
}

/**
 * Finds the moderators who are involved in a case and therefore may not decide it. The conduct decider refuses them;
 * the page uses this list to offer only permitted actions.
 */
@Injectable()
export class EligibleModeratorsService {
  constructor(
    private readonly cases: CaseRepository,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'SOLO_REVIEW_AFTER_S'>,
  ) {}

  /** Ids of the moderators who may not decide the case in its current state, ascending. */
  async findExcluded(
    row: CaseRow,
    reporterIds: readonly number[],
    events: readonly ConductEventRow[],
  ): Promise<number[]> {
    const involvedIds = [Number(row.user_id), ...reporterIds];
    const moderators = await this.cases.findModerators(involvedIds);
    const isOnlyModerator = moderators.length === 1;
    const actsToReview = listActsToReview(row, events).filter(
      ({ at }) => !(isOnlyModerator && this.mayReviewOwnAct(at)),
    );
    const isExcluded = ({ id, isFriend }: (typeof moderators)[number]): boolean =>
      isFriend || involvedIds.includes(id) || actsToReview.some(({ moderatorId }) => moderatorId === id);
    return moderators.filter(isExcluded).map(({ id }) => id);
  }

  async findInvolved(caseId: number): Promise<Involvement> {
    const moderators = await this.cases.findModerators(await this.cases.findInvolvedIds(caseId));
    return {
      friendIds: moderators.filter(({ isFriend }) => isFriend).map(({ id }) => id),
      isOnlyModerator: moderators.length === 1,
    };
  }

  /** The only moderator may review their own act after SOLO_REVIEW_AFTER_S. */
  private mayReviewOwnAct(since: Date): boolean {
    return Date.now() - since.getTime() >= this.environment.SOLO_REVIEW_AFTER_S * 1_000;
  }
}

const listActsToReview = (row: CaseRow, events: readonly ConductEventRow[]): ActToReview[] => {
  const caseEvents = events.filter(({ data }) => data.caseId === Number(row.id));
  const lastDecision = caseEvents.findLast(({ type }) => type === 'CaseDecided')?.data.moderatorId;
  const escalation = row.state === 'escalated' && caseEvents.findLast(({ type }) => type === 'CaseEscalated');
  const answeredIds = caseEvents
    .filter(({ type }) => type === 'AppealDecided')
    .map(({ data }) => data.appealId);
  const automaticNoticeIds = caseEvents
    .filter(({ type, data }) => type === 'PersonFlagged' || (type === 'SanctionImposed' && data.isAutomatic))
    .map(({ data }) => data.noticeId);
  const openAppeals = caseEvents.filter(
    ({ type, data }) =>
      type === 'AppealFiled' &&
      !answeredIds.includes(data.appealId) &&
      !automaticNoticeIds.includes(data.noticeId),
  );
  return [
    ...(escalation ? [{ moderatorId: escalation.data.moderatorId, at: escalation.at }] : []),
    ...openAppeals.map(({ at }) => ({ moderatorId: lastDecision, at })),
    ...(row.ban_since ? [{ moderatorId: lastDecision, at: row.ban_since }] : []),
  ];
};
