import { Injectable } from '@nestjs/common';
import type { Hold, LiftSanction, ModeratedPerson, Sanction } from '@thaw/contract/moderation';
import { normalizeText } from '@thaw/contract/text';
import { DomainError } from '../../../platform/errors/domain.errors';
import { ConductService } from '../../conduct/application/conduct.service';
import { DeviceAccountsService } from '../../standings/application/device-accounts.service';
import { toStanding } from '../../standings/application/standing.sql';
import { CaseRepository } from '../infrastructure/case.repository';
import { PersonRepository, type SanctionRow } from '../infrastructure/person.repository';
import { AuditService } from './audit.service';

/** Moderators' view of a user, and their acts on users outside of cases: legal holds and lifting sanctions. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly people: PersonRepository,
    private readonly cases: CaseRepository,
    private readonly devices: DeviceAccountsService,
    private readonly conduct: ConductService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Reads a user for a moderator, after recording the read in the audit log.
   * @throws DomainError not_found
   */
  async read(moderatorId: number, userId: number): Promise<ModeratedPerson> {
    if (!(await this.people.exists(userId))) throw new DomainError('not_found');
    await this.audit.record({ moderatorId, action: 'person_read', userId });
    return this.load(userId);
  }

  /**
   * Places or lifts a legal hold, which prevents the erasure of the user's data.
   * @throws DomainError not_found; own_decision when the moderator is this user
   */
  async setHold(moderatorId: number, userId: number, { isHeld, reason }: Hold): Promise<ModeratedPerson> {
    if (!(await this.people.exists(userId))) throw new DomainError('not_found');
    await this.conduct.setLegalHold(
      { userId, moderatorId, isHeld, reason: normalizeText(reason) },
      (manager) =>
        this.audit.record({ moderatorId, action: isHeld ? 'held' : 'hold_lifted', userId }, manager),
    );
    return this.load(userId);
  }

  /**
   * Lifts a sanction before its end.
   * @throws DomainError not_found; own_decision when the moderator is the sanctioned user; already_answered when the
   *   sanction is no longer in force
   */
  async liftSanction(
    moderatorId: number,
    sanctionId: number,
    { reason }: LiftSanction,
  ): Promise<ModeratedPerson> {
    const sanction = await this.cases.findSanction(sanctionId);
    if (!sanction) throw new DomainError('not_found');
    const { userId, caseId } = sanction;
    const command = { userId, moderatorId, sanctionId, reason: normalizeText(reason) };
    await this.conduct.liftSanction(command, (manager) =>
      this.audit.record(
        { moderatorId, action: 'sanction_lifted', userId, ...(caseId === null ? {} : { caseId }) },
        manager,
      ),
    );
    return this.load(userId);
  }

  /** @throws DomainError not_found when the user was erased in the meantime, unless they have a case */
  private async load(userId: number): Promise<ModeratedPerson> {
    const [person, sanctions, cases, accountIds] = await Promise.all([
      this.people.find(userId),
      this.people.findSanctions(userId),
      this.people.findCases(userId),
      this.devices.findAccounts(userId),
    ]);
    if (!person) throw new DomainError('not_found');
    const { matches, reports_received: reportsReceived } = person;
    return {
      id: userId,
      username: person.username,
      isAnonymous: person.is_anonymous,
      createdAt: person.created_at.toISOString(),
      standing: toStanding(person),
      isHeld: person.is_held,
      matches,
      reportsPer100Matches: computePer100(reportsReceived, matches),
      sanctions: sanctions.map(toSanction),
      cases: cases.map(({ id, state, opened_at: openedAt, outcome }) => ({
        id: Number(id),
        state,
        openedAt: openedAt.toISOString(),
        outcome,
      })),
      reportsMade: {
        total: person.reports_made,
        decided: person.reports_made_decided,
        upheld: person.reports_made_upheld,
      },
      sameDeviceIds: accountIds.filter((id) => id !== userId),
    };
  }
}

/** Rounds to two decimals. */
const computePer100 = (count: number, matches: number): number =>
  matches === 0 ? 0 : Math.round((count / matches) * 10_000) / 100;

const toSanction = (row: SanctionRow): Sanction => ({
  id: Number(row.id),
  kind: row.kind,
  rule: row.rule,
  from: row.starts_at.toISOString(),
  until: row.until?.toISOString() ?? null,
  liftedAt: row.lifted_at?.toISOString() ?? null,
  isAutomatic: row.is_automatic,
  isConfirmed: row.is_confirmed,
  caseId: row.case_id === null ? null : Number(row.case_id),
});
