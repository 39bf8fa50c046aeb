import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { CaseRepository, type CaseRow, type ConductEventRow } from '../infrastructure/case.repository';

/** How moderators are involved in a case. The commands by which a moderator decides contain these fields. */
export interface ModeratorInvolvement {
  /** Moderators who are friends of a party. The conduct module knows the other ineligible ones from its events. */
  excludedModeratorIds: number[];
  isOnlyModerator: boolean;
}

/** A decision or an escalation that another moderator has to review. */
interface ActToReview {
  /** Unknown, because the data of stored events is JSON without a type. Undefined if no moderator acted. */
  moderatorId: unknown;
  waitingSince: Date;
}

/**
 * Finds the moderators who may not decide a case: the parties (the user whom the case is about, and the reporters),
 * friends of a party, and the author of an act that another moderator has to review. `findIneligible` is only for the
 * page, which offers no actions to these moderators. The rules of the conduct module refuse them, with the help of
 * `findModeratorInvolvement`.
 */
@Injectable()
export class EligibleModeratorsService {
  constructor(
    private readonly cases: CaseRepository,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'SOLO_REVIEW_AFTER_S'>,
  ) {}

  /** Ids of the moderators who may not decide the case in its current state, ascending. */
  async findIneligible(
    row: CaseRow,
    reporterIds: readonly number[],
    events: readonly ConductEventRow[],
  ): Promise<number[]> {
    const partyIds = [Number(row.user_id), ...reporterIds];
    const moderators = await this.cases.findAllModerators({ friendsOf: partyIds });
    const isOnlyModerator = moderators.length === 1;
    // The only moderator may review their own act after a wait.
    const actsToReview = listActsToReview(row, events).filter(
      ({ waitingSince }) => !isOnlyModerator || this.isTooEarlyForSoloReview(waitingSince),
    );
    const isIneligible = ({ id, isFriend }: (typeof moderators)[number]): boolean =>
      isFriend || partyIds.includes(id) || actsToReview.some(({ moderatorId }) => moderatorId === id);
    return moderators.filter(isIneligible).map(({ id }) => id);
  }

  /** Finds the facts that the conduct module needs to check who may decide, but cannot know from its events. */
  async findModeratorInvolvement(caseId: number): Promise<ModeratorInvolvement> {
    const partyIds = await this.cases.findPartyIds(caseId);
    const moderators = await this.cases.findAllModerators({ friendsOf: partyIds });
    return {
      excludedModeratorIds: moderators.filter(({ isFriend }) => isFriend).map(({ id }) => id),
      isOnlyModerator: moderators.length === 1,
    };
  }

  /** Whether the act has waited for less than SOLO_REVIEW_AFTER_S, after which the only moderator may review it. */
  private isTooEarlyForSoloReview(waitingSince: Date): boolean {
    return Date.now() - waitingSince.getTime() < this.environment.SOLO_REVIEW_AFTER_S * 1_000;
  }
}

const listActsToReview = (row: CaseRow, events: readonly ConductEventRow[]): ActToReview[] => {
  const caseEvents = events.filter(({ data }) => data.caseId === Number(row.id));
  return [
    ...listEscalation(row, caseEvents),
    ...listAppealedDecisions(caseEvents),
    ...listUnconfirmedBan(row, caseEvents),
  ];
};

const listEscalation = ({ state }: CaseRow, caseEvents: readonly ConductEventRow[]): ActToReview[] => {
  const escalation = caseEvents.findLast(({ type }) => type === 'CaseEscalated');
  if (state !== 'escalated' || !escalation) return [];
  return [{ moderatorId: escalation.data.moderatorId, waitingSince: escalation.at }];
};

/** The decisions under appeal. An appeal is against a notice, which announced the decision to a user. */
const listAppealedDecisions = (caseEvents: readonly ConductEventRow[]): ActToReview[] => {
  const decidedAppealIds = caseEvents
    .filter(({ type }) => type === 'AppealDecided')
    .map(({ data }) => data.appealId);
  const openAppeals = caseEvents.filter(
    ({ type, data }) => type === 'AppealFiled' && !decidedAppealIds.includes(data.appealId),
  );
  const deciderByNotice = mapDeciderByNotice(caseEvents);
  return openAppeals.map(({ at, data }) => ({
    moderatorId: deciderByNotice.get(data.noticeId),
    waitingSince: at,
  }));
};

/** The last decision of the case, if it is a ban that waits for confirmation. Otherwise `ban_imposed_at` is null. */
const listUnconfirmedBan = (
  { ban_imposed_at: imposedAt }: CaseRow,
  caseEvents: readonly ConductEventRow[],
): ActToReview[] => {
  if (!imposedAt) return [];
  const lastDecision = caseEvents.findLast(({ type }) => type === 'CaseDecided');
  return [{ moderatorId: lastDecision?.data.moderatorId, waitingSince: imposedAt }];
};

/**
 * Maps the id of each notice of a case to the moderator whose decision it announces. Notices of automatic restrictions
 * are missing, so every moderator may decide an appeal against them.
 */
const mapDeciderByNotice = (caseEvents: readonly ConductEventRow[]): Map<unknown, unknown> => {
  const deciderByNotice = new Map<unknown, unknown>();
  let deciderId: unknown;
  for (const { type, data } of caseEvents) {
    if (type === 'CaseDecided') {
      deciderId = data.moderatorId;
      // Each reporter gets a notice of their own.
      for (const { noticeId } of data.reports as { noticeId: number }[])
        deciderByNotice.set(noticeId, deciderId);
    }
    // These events come directly after the `CaseDecided` that causes them, so `deciderId` is its moderator.
    if (type === 'PersonWarned' || (type === 'SanctionImposed' && !data.isAutomatic))
      deciderByNotice.set(data.noticeId, deciderId);
  }
  return deciderByNotice;
};
