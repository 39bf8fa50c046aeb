import { goodStanding, type Standing } from '@thaw/contract/safety';
import type { SanctionKind, StandingEvent } from './standing.events';

/** A sanction that was not lifted. */
export interface StandingSanction {
  sanctionId: number;
  noticeId: number;
  kind: SanctionKind;
  since: Date;
  /** Null for a sanction without an end. */
  until: Date | null;
}

/** The restrictions of a user, folded from events. `computeStandingAt` computes the standing at any time from them. */
export interface StandingState {
  sanctions: readonly StandingSanction[];
  /** An unanswered age question. */
  ageQuestion: { noticeId: number; since: Date } | null;
  /** Until its end, the user is matched only with other flagged users. */
  flag: { noticeId: number; since: Date; until: Date } | null;
  /** Whether the user is under a legal hold, which does not change the standing. */
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
      // Only an appeal that reduced a sanction has `until`. A reduced ban becomes a suspension. A reversed sanction is
      // lifted by an event of its own.
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
 * Finds the gravest sanction, even if it has ended: a ban, else a suspension without an end, else the one with the
 * latest end; among equals the one with the lowest id. The SQL of `writeGravest` in `standings.projection.ts` has the
 * same order.
 */
export const findGravest = (sanctions: readonly StandingSanction[]): StandingSanction | null =>
  [...sanctions].sort(compareGravity)[0] ?? null;

const compareGravity = (one: StandingSanction, other: StandingSanction): number =>
  Number(other.kind === 'banned') - Number(one.kind === 'banned') ||
  getEndMs(other) - getEndMs(one) ||
  one.sanctionId - other.sanctionId;

/** Finite even without an end: the difference of two infinities would be NaN. */
const getEndMs = ({ until }: StandingSanction): number => until?.getTime() ?? Number.MAX_SAFE_INTEGER;

/** The standing at a time: a sanction in force, else an open age question, else a flag (`care`), else `good`. */
export const computeStandingAt = (state: StandingState, time: Date): Standing => {
  const { ageQuestion, flag } = state;
  // If any sanction is in force, the gravest is: a ban, which has no end, or else the suspension that ends last.
  const sanction = findGravest(state.sanctions);
  if (sanction && isInForce(sanction.until, time)) return toStanding(sanction.kind, sanction);
  if (ageQuestion) return toStanding('age_question', { ...ageQuestion, until: null });
  if (flag && isInForce(flag.until, time)) return toStanding('care', flag);
  return goodStanding;
};

const isInForce = (until: Date | null, time: Date): boolean => until === null || until > time;

const toStanding = (
  kind: Standing['kind'],
  { since, until, noticeId }: { since: Date; until: Date | null; noticeId: number },
): Standing => ({
  kind,
  since: since.toISOString(),
  until: until?.toISOString() ?? null,
  noticeId,
});
