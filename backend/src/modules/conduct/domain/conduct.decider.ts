import type { Decider } from '../../../platform/event-store/decider.types';
import { decideAppeal, decideAppealFiling } from './appeal.rules';
import { decideCase, decideClaim, decideEscalation, decideNote, decideRelease } from './case.rules';
import type { ConductPolicy } from './conduct-policy.types';
import type { ConductCommand } from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import { type ConductState, createConductState } from './conduct-state.types';
import { evolveConduct } from './conduct.state';
import { decideFinding } from './finding.rules';
import { decideAlignment, decideInheritedSanction } from './inherited-sanction.rules';
import { decideReport } from './report.rules';
import { decideAgeAnswer, decideConfirmation, decideLegalHold, decideLift } from './sanction.rules';
import { decideTimeLimits } from './time-limit.rules';

/** @throws DomainError when the command is refused */
const decide = (
  command: ConductCommand,
  state: ConductState,
  policy: ConductPolicy,
): readonly ConductEvent[] => {
  switch (command.type) {
    case 'FileReport':
      return decideReport(command, state, policy);
    case 'RaiseFinding':
      return decideFinding(command, state);
    case 'ClaimCase':
      return decideClaim(command, state);
    case 'ReleaseCase':
      return decideRelease(command, state);
    case 'AddNote':
      return decideNote(command, state);
    case 'EscalateCase':
      return decideEscalation(command, state);
    case 'DecideCase':
      return decideCase(command, state, policy);
    case 'ConfirmBan':
      return decideConfirmation(command, state, policy);
    case 'DecideAppeal':
      return decideAppeal(command, state, policy);
    case 'LiftSanction':
      return decideLift(command, state);
    case 'SetLegalHold':
      return decideLegalHold(command, state);
    case 'FileAppeal':
      return decideAppealFiling(command, state, policy);
    case 'AnswerAgeQuestion':
      return decideAgeAnswer(command, state);
    case 'InheritSanction':
      return decideInheritedSanction(command, state);
    case 'AlignInheritedSanction':
      return decideAlignment(command, state);
    case 'ApplyTimeLimits':
      return decideTimeLimits(command, state, policy);
    default:
      return command satisfies never;
  }
};

/** Decides about one user: the reports and automatic findings about them, their cases, sanctions and appeals. */
export const createConductDecider = (
  policy: ConductPolicy,
): Decider<ConductState, ConductCommand, ConductEvent> => ({
  initialState: createConductState,
  evolve: evolveConduct,
  decide: (command, state) => decide(command, state, policy),
});
