import { goodStanding, type Standing } from '@thaw/contract/safety';
import type { SanctionKind, StandingEvent } from './standing.events';

/** A sanction that was not lifted. It may have ended. */
export interface UnliftedSanction {
  sanctionId: number;
  noticeId: number;
  kind: SanctionKind;
  since: Date;
  /** Null for a sanction without an end. */
  until: Date | null;
}

/** The restrictions of a user, folded from events. `computeStandingAt` computes the standing at any time from them. */
export interface StandingState {
  sanctions: readonly UnliftedSanction[];
  /** An unanswered age question. */
  ageQuestion: { noticeId: number; since: Date } | null;
  /** The last flag, if it was not lifted. Before `until`, the user is matched only with other flagged users. */
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
      // Only the decision to reduce a sanction changes it here: a reversed sanction is lifted by an event of its own.
      if (sanctionId === null || until === null) return state;
      return { ...state, sanctions: reduceSanction(state.sanctions, sanctionId, new Date(until)) };
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

/** Sets the end of a sanction. A reduced ban becomes a suspension, because bans have no end. */
const reduceSanction = (
  sanctions: readonly UnliftedSanction[],
  sanctionId: number,
  until: Date,
): readonly UnliftedSanction[] =>
  sanctions.map((sanction): UnliftedSanction =>
    sanction.sanctionId === sanctionId ? { ...sanction, kind: 'suspended', until } : sanction,
  );

/** Finds the gravest sanction, even if it has ended. */
const findGravest = (sanctions: readonly UnliftedSanction[]): UnliftedSanction | null =>
  [...sanctions].sort(compareGravity)[0] ?? null;

/**
 * Sorts bans first, then suspensions by their end, the latest first (no end is later than any end). Of equals, the
 * lowest id is first. The SQL of `writeGravest` in `standings.projection.ts` has the same order.
 */
const compareGravity = (one: UnliftedSanction, other: UnliftedSanction): number =>
  Number(other.kind === 'banned') - Number(one.kind === 'banned') ||
  getEndMs(other) - getEndMs(one) ||
  one.sanctionId - other.sanctionId;

/** A finite number even without an end, because the difference of two infinities is NaN. */
const getEndMs = ({ until }: UnliftedSanction): number => until?.getTime() ?? Number.MAX_SAFE_INTEGER;

/** The standing at a time: a sanction in force, else an open age question, else a flag (`care`), else `good`. */
export const computeStandingAt = (state: StandingState, time: Date): Standing => {
  const { ageQuestion, flag } = state;
  // Only suspensions end, and the gravest of them ends last. So if the gravest sanction has ended, all have.
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
