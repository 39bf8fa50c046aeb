import { goodStanding, type Standing } from '@thaw/contract/safety';
import type { SanctionKind, StandingEvent } from './standing.events';

/** A sanction that was not lifted. */
export interface StandingSanction {
  sanctionId: number;
  noticeId: number;
  kind: SanctionKind;
  since: Date;
  /** Null without an end. */
  until: Date | null;
}

/** The folded state from which the standing at any time is computed. */
export interface StandingState {
  sanctions: readonly StandingSanction[];
  /** An unanswered age question. */
  ageQuestion: { noticeId: number; since: Date } | null;
  flag: { noticeId: number; since: Date; until: Date } | null;
  isHeld: boolean;
}

export const createStandingState = (): StandingState => ({
  sanctions: [],
  ageQuestion: null,
  flag: null,
  isHeld: false,
});

export const evolveStanding = (state: StandingState, event: StandingEvent): StandingState => {
  switch (event.type) {
    case 'PersonFlagged': {
      const { noticeId, until } = event.data;
      return { ...state, flag: { noticeId, since: event.occurredAt, until: new Date(until) } };
    }
    case 'FlagLifted':
      return { ...state, flag: null };
    case 'SanctionImposed': {
      const { sanctionId, noticeId, kind, until } = event.data;
      const end = until === null ? null : new Date(until);
      const sanction = { sanctionId, noticeId, kind, since: event.occurredAt, until: end };
      return { ...state, sanctions: [...state.sanctions, sanction] };
    }
    case 'SanctionLifted': {
      const { sanctionId } = event.data;
      return {
        ...state,
        sanctions: state.sanctions.filter((sanction) => sanction.sanctionId !== sanctionId),
      };
    }
    case 'AppealDecided': {
      const { sanctionId, until } = event.data;
      if (sanctionId === null || until === null) return state;
      const reduce = (sanction: StandingSanction): StandingSanction =>
        sanction.sanctionId === sanctionId
          ? { ...sanction, kind: 'suspended', until: new Date(until) }
          : sanction;
      return { ...state, sanctions: state.sanctions.map(reduce) };
    }
    case 'AgeAsked':
      return { ...state, ageQuestion: { noticeId: event.data.noticeId, since: event.occurredAt } };
    case 'AgeAnswered':
      return { ...state, ageQuestion: null };
    case 'HoldPlaced':
      return { ...state, isHeld: true };
    case 'HoldLifted':
      return { ...state, isHeld: false };
    case 'SanctionConfirmed':
      return state;
    default:
      event satisfies never;
      return state;
  }
};

/**
 * Finds the gravest sanction, including ended ones: a ban, else a suspension without an end, else the one with the
 * latest end; among equals the one with the lowest id. `writeGravest` of the projection does the same in SQL.
 */
export const findGravest = (sanctions: readonly StandingSanction[]): StandingSanction | null =>
  [...sanctions].sort(compareGravity)[0] ?? null;

const compareGravity = (one: StandingSanction, other: StandingSanction): number =>
  Number(other.kind === 'banned') - Number(one.kind === 'banned') ||
  getEndMs(other) - getEndMs(one) ||
  one.sanctionId - other.sanctionId;

/** Finite even without an end, since subtracting infinities gives NaN. */
const getEndMs = ({ until }: StandingSanction): number => until?.getTime() ?? Number.MAX_SAFE_INTEGER;

/** The standing at a time: a sanction in force, else an open age question, else a flag, else good. */
export const computeStandingAt = (state: StandingState, at: Date): Standing => {
  const { ageQuestion, flag } = state;
  const sanction = findGravest(state.sanctions);
  if (sanction && isAhead(sanction.until, at)) return toStanding(sanction.kind, sanction);
  if (ageQuestion) return toStanding('age_question', { ...ageQuestion, until: null });
  if (flag && isAhead(flag.until, at)) return toStanding('care', flag);
  return goodStanding;
};

const isAhead = (until: Date | null, at: Date): boolean => until === null || until > at;

const toStanding = (
  kind: Standing['kind'],
  { since, until, noticeId }: { since: Date; until: Date | null; noticeId: number },
): Standing => ({
  kind,
  since: since.toISOString(),
  until: until?.toISOString() ?? null,
  noticeId,
});
