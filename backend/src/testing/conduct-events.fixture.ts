import type { CaseOutcome } from '@thaw/contract/moderation';
import type { ConductCommand, ReservedIds } from '../modules/conduct/domain/conduct.commands';
import { createConductDecider } from '../modules/conduct/domain/conduct.decider';
import type { ConductEvent } from '../modules/conduct/domain/conduct.events';
import { type ConductState, createConductState } from '../modules/conduct/domain/conduct-state.types';
import { evolveConduct } from '../modules/conduct/domain/conduct.state';
import type { ConductPolicy } from '../modules/conduct/domain/conduct-policy.types';
import { computeStandingAt } from '../modules/standings/domain/standing.state';

export const HOUR_MS = 60 * 60_000;
export const DAY_MS = 24 * HOUR_MS;

/** The policy that follows from the default settings; `ConductPolicy` explains its limits. */
export const conductPolicy: ConductPolicy = {
  careWindowMs: DAY_MS,
  reportersToFlag: 3,
  reportersToSuspend: 5,
  reviewMs: 3 * DAY_MS,
  soloReviewAfterMs: DAY_MS,
  appealWithinMs: 183 * DAY_MS,
};

/** User ids: of the user whose conduct the tests are about, and of two moderators. */
export const ada = 3;
export const mod = 100;
export const otherMod = 200;

/** Start of each history, and time of the reported chats. */
const START_AT = '2026-11-20T00:00:00.000Z';
/** The reporters of `reportByUsers` have the user ids 11, 12 and so on. */
const REPORTER_ID_OFFSET = 10;
const decider = createConductDecider(conductPolicy);

type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;
/** A command without the ids, the time and the user, which `execute` adds. */
export type CommandInput = DistributiveOmit<ConductCommand, 'ids' | 'at' | 'userId'>;
type InputOf<Type extends CommandInput['type']> = Extract<CommandInput, { type: Type }>;

/** Creates ids that count from 1: one series for events, and one for everything else, such as cases. */
export const createIds = (): ReservedIds => {
  let eventCount = 0;
  let lastNumber = 0;
  return { nextEventId: () => `event ${(eventCount += 1)}`, nextNumber: () => (lastNumber += 1) };
};

/**
 * The conduct of `ada` in memory: the reports about the user, and the cases and sanctions that follow. Executes
 * commands one after the other, at a time that the test moves forward.
 */
export class ConductHistory {
  readonly events: ConductEvent[] = [];
  state: ConductState = createConductState();
  now = new Date(START_AT);
  private readonly ids = createIds();

  /** Moves the time of the next commands forward. */
  wait(ms: number): this {
    this.now = new Date(this.now.getTime() + ms);
    return this;
  }

  /** @returns the events that the command results in. */
  execute(command: CommandInput): ConductEvent[] {
    const completeCommand = { ...command, userId: ada, ids: this.ids, at: this.now };
    const events = [...decider.decide(completeCommand, this.state)];
    for (const event of events) this.state = evolveConduct(this.state, event);
    this.events.push(...events);
    return events;
  }

  /** Files a report about `ada`. */
  report(reporterId: number, changes: Partial<InputOf<'FileReport'>> = {}): ConductEvent[] {
    return this.execute(createReport(reporterId, changes));
  }

  /** Files a report of each of `count` different users. */
  reportByUsers(count: number): this {
    for (let index = 1; index <= count; index += 1) this.report(REPORTER_ID_OFFSET + index);
    return this;
  }

  /** Decides the last case, by default as `mod`. */
  decide(outcome: CaseOutcome, changes: Partial<InputOf<'DecideCase'>> = {}): ConductEvent[] {
    return this.execute(createDecision(this, outcome, changes));
  }

  /** The id of the case that was opened last; 0 if there is none. */
  get caseId(): number {
    return [...this.state.cases.keys()].at(-1) ?? 0;
  }

  /** The data of the last event of a type. @throws Error if there is none */
  findLastData<Type extends ConductEvent['type']>(type: Type): Extract<ConductEvent, { type: Type }>['data'] {
    const found = this.events.findLast((event) => event.type === type);
    if (!found) throw new Error(`There is no ${type}`);
    return found.data as never; // TypeScript cannot derive its type from the comparison with `type`
  }

  /** Appeals against a notice, by default as `ada`. */
  fileAppeal(noticeId: number, appellantId = ada): ConductEvent[] {
    return this.execute({ type: 'FileAppeal', noticeId, appellantId, words: 'A joke' });
  }

  /** Decides the last appeal, by default as `otherMod`, since `mod` has made the appealed decision. */
  decideAppeal(changes: Partial<InputOf<'DecideAppeal'>> = {}): ConductEvent[] {
    return this.execute({
      type: 'DecideAppeal',
      appealId: this.findLastData('AppealFiled').appealId,
      ...createModeratorFields(this, otherMod),
      outcome: 'upheld',
      until: null,
      answer: 'We have looked once more.',
      ...changes,
    });
  }
}

// Commands for `ConductHistory.execute`. `changes` replace the default fields.

/** The fields of a decision by a moderator who may decide and has seen the current version of the history. */
const createModeratorFields = ({ state: { version } }: ConductHistory, moderatorId: number) => ({
  moderatorId,
  version,
  excludedModeratorIds: [],
  isOnlyModerator: false,
});

/** The command that files a report about `ada`. */
export const createReport = (
  reporterId: number,
  changes: Partial<InputOf<'FileReport'>> = {},
): InputOf<'FileReport'> => ({
  type: 'FileReport',
  reporterId,
  category: 'hate',
  context: { where: 'random_chat', sessionId: `chat of ${reporterId}`, at: START_AT },
  words: null,
  evidence: '{}',
  evidenceHash: 'hash',
  deviceAccountIds: [reporterId], // no other account was used on the reporter's devices
  weight: 1, // counts towards automatic flagging and suspension
  ...changes,
});

/** The command by which `mod` decides the last case. */
export const createDecision = (
  history: ConductHistory,
  outcome: CaseOutcome,
  changes: Partial<InputOf<'DecideCase'>> = {},
): InputOf<'DecideCase'> => ({
  type: 'DecideCase',
  caseId: history.caseId,
  ...createModeratorFields(history, mod),
  outcome,
  rule: outcome === 'dismissed' ? null : 'no_hate',
  facts: outcome === 'dismissed' ? null : 'You insulted your partner.',
  until: outcome === 'suspended' ? new Date(history.now.getTime() + 7 * DAY_MS) : null,
  note: null,
  ...changes,
});

/** The command by which `otherMod` confirms a ban, which needs two moderators. */
export const createConfirmation = (
  history: ConductHistory,
  changes: Partial<InputOf<'ConfirmBan'>> = {},
): InputOf<'ConfirmBan'> => ({
  type: 'ConfirmBan',
  caseId: history.caseId,
  ...createModeratorFields(history, otherMod),
  isConfirmed: true,
  facts: null,
  ...changes,
});

/** The command that records a finding: what the service notices itself, such as a stated age. */
export const createFinding = (
  finding: InputOf<'RaiseFinding'>['finding'],
  sourceEventId = 'source',
): CommandInput => ({ type: 'RaiseFinding', finding, sourceEventId, evidence: null, evidenceHash: null });

/** A history with one report, whose case `mod` has decided with a ban. */
export const createBannedHistory = (): ConductHistory => {
  const history = new ConductHistory().reportByUsers(1);
  history.decide('banned');
  return history;
};

/** Ends what is due to end at the present time of the history, such as an unconfirmed ban. */
export const applyTimeLimits = (history: ConductHistory): ConductEvent[] =>
  history.execute({ type: 'ApplyTimeLimits' });

/** The standing of `ada` at the present time of the history. */
export const computeStanding = ({ state, now }: ConductHistory) => computeStandingAt(state.standing, now);

export const listTypes = (events: readonly ConductEvent[]): string[] => events.map(({ type }) => type);
