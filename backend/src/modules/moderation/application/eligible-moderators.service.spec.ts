import type { CaseRepository, CaseRow, ConductEventRow } from '../infrastructure/case.repository';
import { EligibleModeratorsService } from './eligible-moderators.service';

const caseId = 7;
const bob = 1; // the user whom the case is about
const [ada, eve] = [11, 12]; // the reporters
const [mia, max] = [21, 22]; // the moderators
// Each notice informs its user of a decision, against which they can appeal.
const [adasNoticeId, evesNoticeId, bobsNoticeId] = [31, 32, 33];

const decidedCase = { id: String(caseId), user_id: String(bob), state: 'decided' } as CaseRow;
const cases: Pick<CaseRepository, 'findAllModerators'> = {
  findAllModerators: () => Promise.resolve([mia, max].map((id) => ({ id, isFriend: false }))),
};
// SOLO_REVIEW_AFTER_S applies to an only moderator, so it has no effect here.
const service = new EligibleModeratorsService(cases as CaseRepository, { SOLO_REVIEW_AFTER_S: 60 });

const createEvent = (type: string, data: object): ConductEventRow => ({
  eventId: '',
  type,
  at: new Date(),
  data: { caseId, ...data },
});
/** A decision about the case. @param reporterNoticeIds the notices by which it informs the reporters */
const createDecision = (moderatorId: number, reporterNoticeIds: readonly number[] = []): ConductEventRow =>
  createEvent('CaseDecided', { moderatorId, reports: reporterNoticeIds.map((noticeId) => ({ noticeId })) });
const createAppeal = (appealId: number, noticeId: number): ConductEventRow =>
  createEvent('AppealFiled', { appealId, noticeId });
const findIneligible = (...events: ConductEventRow[]): Promise<number[]> =>
  service.findIneligible(decidedCase, [ada, eve], events);

it('the moderator who made a decision cannot decide an appeal against it', async () => {
  const decision = createDecision(mia, [adasNoticeId, evesNoticeId]);
  expect(await findIneligible(decision, createAppeal(41, adasNoticeId))).toEqual([mia]);
});

it('an appeal excludes the moderator who made the appealed decision, not the one who decided last', async () => {
  const firstDecision = createDecision(mia, [adasNoticeId, evesNoticeId]);
  // Ada's appeal has opened the case again.
  const decidedAppeal = [createAppeal(41, adasNoticeId), createEvent('AppealDecided', { appealId: 41 })];
  const secondDecision = [createDecision(max), createEvent('PersonWarned', { noticeId: bobsNoticeId })];
  const openAppeal = createAppeal(42, evesNoticeId);
  const ineligible = await findIneligible(firstDecision, ...decidedAppeal, ...secondDecision, openAppeal);
  expect(ineligible).toEqual([mia]);
});

it('an appeal against a sanction excludes the moderator who imposed it', async () => {
  const sanction = createEvent('SanctionImposed', { noticeId: bobsNoticeId, isAutomatic: false });
  expect(await findIneligible(createDecision(max), sanction, createAppeal(41, bobsNoticeId))).toEqual([max]);
});

it('every moderator can decide an appeal against an automatic sanction', async () => {
  const sanction = createEvent('SanctionImposed', { noticeId: bobsNoticeId, isAutomatic: true });
  // The sanction was imposed by an automatic rule, not by Mia's decision.
  expect(await findIneligible(createDecision(mia), sanction, createAppeal(41, bobsNoticeId))).toEqual([]);
});
