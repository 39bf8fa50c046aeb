import { createEvent } from './conduct-event.factory';
import type { AlignInheritedSanction, InheritSanction } from './conduct.commands';
import type { ConductEvent } from './conduct.events';
import { type ConductState, isInForce } from './conduct-state.types';
import { replaceBySuspension } from './sanction.rules';

// A new account of a sanctioned user inherits the sanction of the other account, which is the source. The inherited
// sanction ends no later than its source.

/**
 * The inherited sanction has a case of its own, which is decided automatically. An appeal puts this case into the
 * moderators' queue. Repeating the command results in no event.
 */
export const decideInheritedSanction = (
  command: InheritSanction,
  state: ConductState,
): readonly ConductEvent[] => {
  const { ids, sanctionId: sourceId, kind, rule, until } = command;
  const wasInherited = [...state.sanctions.values()].some(({ inheritedFrom }) => inheritedFrom === sourceId);
  if (wasInherited) return [];
  const caseId = ids.nextNumber();
  return [
    // Kind 'finding': the service itself has opened the case, without a report.
    createEvent(command, 'CaseOpened', { caseId, kind: 'finding' }),
    createEvent(command, 'CaseDecided', {
      caseId,
      moderatorId: null,
      outcome: kind,
      rule,
      reports: [],
      facts: null,
      note: null,
    }),
    createEvent(command, 'SanctionImposed', {
      sanctionId: ids.nextNumber(),
      noticeId: ids.nextNumber(),
      kind,
      rule,
      until: until?.toISOString() ?? null,
      caseId,
      isAutomatic: true,
      inheritedFrom: sourceId,
    }),
  ];
};

/** After the source was lifted or shortened: lifts the inherited sanction, or shortens it to the end of the source. */
export const decideAlignment = (
  command: AlignInheritedSanction,
  state: ConductState,
): readonly ConductEvent[] => {
  const { ids, at, sourceId, sourceEnd } = command;
  const inherited = [...state.sanctions.values()].filter(
    (sanction) => sanction.inheritedFrom === sourceId && isInForce(sanction, at),
  );
  if (sourceEnd === 'lifted' || sourceEnd <= at)
    return inherited.map(({ sanctionId }) =>
      createEvent(command, 'SanctionLifted', {
        sanctionId,
        noticeId: ids.nextNumber(),
        cause: 'source_ended',
        moderatorId: null,
        reason: null,
      }),
    );
  return inherited
    .filter(({ until }) => until === null || until > sourceEnd)
    .flatMap((sanction) => replaceBySuspension(command, sanction, 'source_ended', sourceEnd));
};
