import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { CommandExecutorService } from '../../../platform/event-store/command-executor.service';
import type { Decider } from '../../../platform/event-store/decider.types';
import type { StoredEvent } from '../../../platform/event-store/stored-event.types';
import { DomainError } from '../../../platform/errors/domain.errors';
import { throwUnavailableOnConflict } from '../../../platform/event-store/version-conflict.functions';
import { logWarning } from '../../../platform/observability/warn-about.functions';
import { StandingsService } from '../../standings/application/standings.service';
import { buildConductStreamId } from '../../standings/domain/standing.events';
import { createConductDecider } from '../domain/conduct.decider';
import type { ConductCommand, ReservedIds } from '../domain/conduct.commands';
import type { ConductEvent } from '../domain/conduct.events';
import type { ConductState } from '../domain/conduct-state.types';
import type { ConductPolicy } from '../domain/conduct-policy.types';
import { findSameReport } from '../domain/report.rules';
import { ConductRepository } from '../infrastructure/conduct.repository';
import { NoticesService } from './notices.service';

type CommandOf<Type extends ConductCommand['type']> = Extract<ConductCommand, { type: Type }>;
/** The fields of a command without its type, ids and time, which the service adds. */
export type ConductRequest<Type extends ConductCommand['type']> = Omit<
  CommandOf<Type>,
  'type' | 'ids' | 'at'
>;

/** A command about a user whom the same transaction creates. */
export type NewUserCommand<Type extends ConductCommand['type']> = ConductRequest<Type> & { type: Type };

export interface ConductResult {
  /** Version of the user's stream. */
  version: number;
  /** The new events; empty when the command changed nothing. */
  events: readonly (StoredEvent & ConductEvent)[];
}
export interface FiledReportResult extends ConductResult {
  reportId: number;
  caseId: number;
  createdAt: Date;
  /** Whether this call filed the report; false when an earlier call did. */
  isNew: boolean;
}
export interface FiledAppealResult extends ConductResult {
  appealId: number;
  createdAt: Date;
  /** Whether this call filed the appeal; false when an earlier call did. */
  isNew: boolean;
}

/**
 * After a command that ends or shortens a sanction, the service aligns (shortens) at most this number of the sanctions
 * inherited from it. The job `conduct_time_limits` aligns the others. A new account inherits the sanction of an account
 * on the same device or with the same e-mail address.
 */
const MAX_ALIGNED_AFTER_COMMAND = 20;

/**
 * A standing that changed within this time is announced again, because the process that changed it may have died before
 * its announcement. The job `conduct_time_limits` does so each minute. The window is longer, so that one missed run
 * does no harm.
 */
export const REANNOUNCE_WINDOW_MS = 3 * 60_000;

/** The caller's own writes, in the transaction that appends the events. Runs again after a version conflict. */
export type WriteAlongside<Result = ConductResult> = (
  manager: EntityManager,
  result: Result,
) => Promise<void>;

interface ExecutedCommand extends ConductResult {
  /** The state after the command. */
  state: ConductState;
}

/** @param numbers ids for cases, reports, notices and the like, which `nextNumber` returns in order */
const toReservedIds = (numbers: number[]): ReservedIds => ({
  nextEventId: randomUUID,
  nextNumber: () => {
    const number = numbers.shift();
    if (number === undefined) throw new Error('A command needs more numbers than were reserved');
    return number;
  },
});

/**
 * Executes the commands of the conduct streams. Each stream records the reports, cases and sanctions about one user.
 * After the commit, the service announces the user's standing (the restrictions in force) and sends the new notices. If
 * the process dies in between, the job `conduct_time_limits` announces the standing and shortens inherited sanctions,
 * and clients find the notices in the list.
 *
 * Codes of refusals:
 * - `own_decision`: the moderator is involved in the case, or would review their own decision.
 * - `claimed`: another moderator has reserved the case.
 * - `case_changed`: events were recorded since the version that the moderator has seen.
 * - `already_answered`: the case, sanction, appeal or question is closed.
 * - `unavailable`, for every command: other writers of the stream were faster at every attempt.
 */
@Injectable()
export class ConductService {
  private readonly logger = new Logger(ConductService.name);
  private readonly decider: Decider<ConductState, ConductCommand, ConductEvent>;

  constructor(
    private readonly conduct: ConductRepository,
    private readonly executor: CommandExecutorService,
    private readonly standings: StandingsService,
    private readonly notices: NoticesService,
    @Inject(ENVIRONMENT) environment: Environment,
  ) {
    this.decider = createConductDecider(toPolicy(environment));
  }

  /**
   * Idempotent by reporter and chat: a repeated call returns the same report. Only a private chat can be reported
   * again, once the report is decided.
   * @throws DomainError not_found when users report themselves
   */
  async fileReport(
    request: ConductRequest<'FileReport'>,
    writeAlongside?: WriteAlongside<FiledReportResult>,
  ): Promise<FiledReportResult> {
    return this.run({ ...request, type: 'FileReport' }, writeAlongside, ({ state, ...result }) => {
      const report = findSameReport(state, request);
      if (!report) throw new Error('The report is not in the stream');
      const { reportId, caseId, filedAt: createdAt } = report;
      return { ...result, reportId, caseId, createdAt, isNew: result.events.length > 0 };
    });
  }

  /** Idempotent by `sourceEventId`, the event from which the finding was made. */
  raiseFinding(
    request: ConductRequest<'RaiseFinding'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'RaiseFinding' }, writeAlongside);
  }

  /** @throws DomainError not_found, own_decision, claimed, already_answered */
  claimCase(request: ConductRequest<'ClaimCase'>, writeAlongside?: WriteAlongside): Promise<ConductResult> {
    return this.run({ ...request, type: 'ClaimCase' }, writeAlongside);
  }

  /** @throws DomainError not_found, claimed */
  releaseCase(
    request: ConductRequest<'ReleaseCase'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'ReleaseCase' }, writeAlongside);
  }

  /** @throws DomainError not_found */
  addNote(request: ConductRequest<'AddNote'>, writeAlongside?: WriteAlongside): Promise<ConductResult> {
    return this.run({ ...request, type: 'AddNote' }, writeAlongside);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered */
  escalateCase(
    request: ConductRequest<'EscalateCase'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'EscalateCase' }, writeAlongside);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered, validation_failed */
  decideCase(request: ConductRequest<'DecideCase'>, writeAlongside?: WriteAlongside): Promise<ConductResult> {
    return this.run({ ...request, type: 'DecideCase' }, writeAlongside);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered */
  confirmBan(request: ConductRequest<'ConfirmBan'>, writeAlongside?: WriteAlongside): Promise<ConductResult> {
    return this.run({ ...request, type: 'ConfirmBan' }, writeAlongside);
  }

  /** @throws DomainError not_found, own_decision, claimed, case_changed, already_answered, validation_failed */
  decideAppeal(
    request: ConductRequest<'DecideAppeal'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'DecideAppeal' }, writeAlongside);
  }

  /** @throws DomainError not_found, own_decision, already_answered */
  liftSanction(
    request: ConductRequest<'LiftSanction'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'LiftSanction' }, writeAlongside);
  }

  /**
   * Places or lifts a legal hold, which keeps the user's data from erasure.
   * @throws DomainError own_decision
   */
  setLegalHold(
    request: ConductRequest<'SetLegalHold'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'SetLegalHold' }, writeAlongside);
  }

  /**
   * Idempotent while the appeal is open: a repeated call returns the same one.
   * @throws DomainError not_found, already_answered, too_late
   */
  async fileAppeal(
    request: ConductRequest<'FileAppeal'>,
    writeAlongside?: WriteAlongside<FiledAppealResult>,
  ): Promise<FiledAppealResult> {
    return this.run({ ...request, type: 'FileAppeal' }, writeAlongside, ({ state, ...result }) => {
      const appeal = state.appeals.get(request.noticeId);
      if (!appeal) throw new Error('The appeal is not in the stream');
      const { appealId, filedAt: createdAt } = appeal;
      return { ...result, appealId, createdAt, isNew: result.events.length > 0 };
    });
  }

  /** @throws DomainError not_found, already_answered */
  answerAgeQuestion(
    request: ConductRequest<'AnswerAgeQuestion'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'AnswerAgeQuestion' }, writeAlongside);
  }

  /** Idempotent by `sanctionId`. */
  inheritSanction(
    request: ConductRequest<'InheritSanction'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'InheritSanction' }, writeAlongside);
  }

  /**
   * Executes a command in the transaction that creates its user. Nothing is announced or sent, since a new user has no
   * sockets. The caller retries the transaction after a version conflict.
   */
  async executeForNewUser(
    command: NewUserCommand<'InheritSanction'> | NewUserCommand<'RaiseFinding'>,
    manager: EntityManager,
  ): Promise<void> {
    await this.execute(command, manager);
  }

  /**
   * Lifts or shortens inherited sanctions that outlive their source, the sanction of another account from which they
   * were inherited. Idempotent. Never throws: the job `conduct_time_limits` retries.
   * @param sourceUserId the user of the source sanctions; null for all users
   * @param limit maximum number of inherited sanctions
   */
  async alignInheritedSanctions(sourceUserId: number | null, limit: number): Promise<void> {
    try {
      for (const outlivedSource of await this.conduct.findOutlivedSources(sourceUserId, limit))
        await this.run({ ...outlivedSource, type: 'AlignInheritedSanction' }).catch((error: unknown) =>
          logWarning(this.logger, 'An inherited sanction was not shortened', error),
        );
    } catch (error) {
      logWarning(this.logger, 'Inherited sanctions were not shortened', error);
    }
  }

  /** Applies time limits that have passed: of an unconfirmed ban, an automatic suspension, or a flag. Idempotent. */
  applyTimeLimits(
    request: ConductRequest<'ApplyTimeLimits'>,
    writeAlongside?: WriteAlongside,
  ): Promise<ConductResult> {
    return this.run({ ...request, type: 'ApplyTimeLimits' }, writeAlongside);
  }

  /**
   * Announces a standing for a call that may repeat an earlier one. The process of the earlier call may have died after
   * the commit, before it announced the standing. Only a recent change is announced: otherwise each repeated report
   * would send the standing to the reported user, and thereby reveal the report. Never throws.
   */
  async announceAgain(userId: number): Promise<void> {
    try {
      const since = new Date(Date.now() - REANNOUNCE_WINDOW_MS);
      if (await this.conduct.hasConductNoticeSince(userId, since)) await this.standings.announce(userId);
    } catch (error) {
      logWarning(this.logger, 'A standing was not announced again', error);
    }
  }

  private async run<Result extends ConductResult = ConductResult>(
    command: DistributiveOmit<ConductCommand, 'ids' | 'at'>,
    writeAlongside?: WriteAlongside<Result>,
    // Without `toResult`, `Result` is ConductResult.
    toResult: (executed: ExecutedCommand) => Result = ({ version, events }) =>
      ({ version, events }) as Result,
  ): Promise<Result> {
    const result = await this.runInTransaction(async (manager) => {
      const uncommittedResult = toResult(await this.execute(command, manager));
      await writeAlongside?.(manager, uncommittedResult);
      return uncommittedResult;
    }).catch(async (error: unknown) => {
      if (mayRepeatEarlierCall(error)) await this.announceAgain(command.userId);
      throw error;
    });
    await this.announce(command.userId, result.events);
    // `alignInheritedSanctions` calls `run`. The recursion ends there: no sanction is inherited from an inherited one.
    if (result.events.some(mayShortenSanction))
      await this.alignInheritedSanctions(command.userId, MAX_ALIGNED_AFTER_COMMAND);
    return result;
  }

  private async execute(
    command: DistributiveOmit<ConductCommand, 'ids' | 'at'>,
    manager: EntityManager,
  ): Promise<ExecutedCommand> {
    const { userId } = command;
    await this.conduct.lock(userId, manager);
    const ids = toReservedIds(await this.conduct.reserveNumbers(userId, manager));
    const completeCommand = { ...command, ids, at: new Date() };
    const { state, events } = await this.executor.execute(
      buildConductStreamId(userId),
      this.decider,
      completeCommand,
      manager,
    );
    return { state, version: state.version, events: events as (StoredEvent & ConductEvent)[] };
  }

  private runInTransaction<Result>(work: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    return throwUnavailableOnConflict(() => this.executor.runInTransaction(work));
  }

  /**
   * Announces the standing if the events change it, and sends the notices. A command without events may be the retry of
   * a call whose process died before it announced the standing. Never throws.
   */
  private async announce(userId: number, events: readonly ConductEvent[]): Promise<void> {
    if (events.length === 0) await this.announceAgain(userId);
    else if (events.some(changesStanding)) await this.standings.announce(userId);
    await this.notices.send(events.flatMap(listNewNoticeIds));
  }
}

/** `Omit` for each member of a union, so that the members keep their own fields. */
type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

/** The settings CARE_* are about automatic care: restrictions without a moderator, which `ConductPolicy` explains. */
const toPolicy = (environment: Environment): ConductPolicy => ({
  careWindowMs: environment.CARE_WINDOW_S * 1_000,
  reportersToFlag: environment.CARE_FLAG_REPORTERS,
  reportersToSuspend: environment.CARE_SUSPEND_REPORTERS,
  reviewMs: environment.CARE_REVIEW_S * 1_000,
  soloReviewAfterMs: environment.SOLO_REVIEW_AFTER_S * 1_000,
  appealWithinMs: environment.APPEAL_WITHIN_S * 1_000,
});

/**
 * Whether a call may have been refused because an earlier, equal call has already made the change. The process of the
 * earlier call may have died between its commit and its announcement.
 */
const mayRepeatEarlierCall = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'already_answered' || error.code === 'case_changed');

const changesStanding = ({ type, data }: ConductEvent): boolean =>
  type === 'PersonFlagged' ||
  type === 'FlagLifted' ||
  type === 'SanctionImposed' ||
  type === 'SanctionLifted' ||
  // Without a sanction, a reporter has appealed against a dismissal. The reported user must not learn of that appeal.
  (type === 'AppealDecided' && data.sanctionId !== null) ||
  // Until the question is answered, it restricts the user.
  type === 'AgeAsked' ||
  type === 'AgeAnswered';

/** Whether an event may end or shorten a sanction. A decided appeal does not if it upholds the sanction. */
const mayShortenSanction = ({ type }: ConductEvent): boolean =>
  type === 'SanctionLifted' || type === 'AppealDecided';

/** The ids of the notices that an event creates. */
const listNewNoticeIds = (event: ConductEvent): number[] => {
  switch (event.type) {
    case 'CaseDecided':
      return event.data.reports.map(({ noticeId }) => noticeId);
    case 'AppealDecided':
      return [event.data.answerNoticeId];
    case 'PersonWarned':
    case 'PersonFlagged':
    case 'SanctionImposed':
    case 'AgeAsked':
      return [event.data.noticeId];
    case 'SanctionLifted':
    case 'FlagLifted':
      return event.data.noticeId === null ? [] : [event.data.noticeId];
    default:
      return [];
  }
};
