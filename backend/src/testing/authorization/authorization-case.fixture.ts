/**
 * Signed-in users without a sanction, who try every frame and every route. `friend` and the chat partner `partner` are
 * those of `self`. `anonymous`, an anonymous user, and `stranger`, a registered one, have no relation to `self`.
 */
export const ACTORS = ['self', 'anonymous', 'stranger', 'friend', 'partner'] as const;
/** `blocked`, whom `self` has blocked, tries only the routes. */
export const HTTP_ACTORS = [...ACTORS, 'blocked'] as const;
/** They try only the routes of moderation, which refuse all other users. */
export const MODERATORS = ['moderator', 'otherModerator'] as const;
/** `suspended` also tries every route, with the outcomes that follow from `RouteCases.accessOfExcluded`. */
export type Actor = (typeof HTTP_ACTORS)[number] | (typeof MODERATORS)[number] | 'suspended';

/** The email address of `stranger`, who is the only registered user among the actors, apart from the moderators. */
export const STRANGER_EMAIL = 'taken@example.org';

/** Whose ids an attempt uses: the caller's, another user's, ids that do not exist, or malformed ids. */
export const ID_KINDS = ['own', 'other', 'missing', 'malformed'] as const;
export type IdKind = (typeof ID_KINDS)[number];

/**
 * The expected result of an attempt, for every actor or by actor. For HTTP the status, followed by the error code of a
 * refusal; for a frame the event of the answer, the code of an error frame, or `closed <close code>`.
 */
export type Outcome = string | ({ else: string } & Partial<Record<Actor, string>>);
/** The outcome for each kind of ids. A kind without an outcome is not tried. */
export type Outcomes = Partial<Record<IdKind, Outcome>>;

/** The ids of one `IdKind` that an attempt may use. */
export interface Ids {
  user: unknown;
  session: unknown;
  message: unknown;
  request: unknown;
  image: unknown;
  notice: unknown;
  /**
   * The case that the calling moderator has claimed; for `other`, the case that the other moderator has claimed.
   * Callers who are not moderators get the same cases as `moderator`.
   */
  case: unknown;
  /** A sanction of the user whose case it is. */
  sanction: unknown;
  /** An appeal of the user whose case it is. */
  appeal: unknown;
  /** The user whose case it is. For `other`, this is the caller, because moderators cannot act on themselves. */
  person: unknown;
  /** An image in the evidence of the case. */
  evidenceImage: unknown;
  /** An image that moderators have blocked. */
  blockedImage: unknown;
  /** The current version of the case. */
  version: number;
  /** The caller's own user id, for every kind. */
  callerId: number;
  /** A user without friends. */
  friendlessId: number;
  /** The user who owns the ids of the kind `other`. */
  otherUserId: number;
}

export interface HttpCase {
  /** By default the path of the route itself. */
  path?: (ids: Ids) => string;
  body?: (ids: Ids) => unknown;
  outcomes: Outcomes;
  /** The outcomes for moderators. Only for the routes of moderation, where `outcomes` are those of all other users. */
  moderatorOutcomes?: Outcomes;
}

export interface RouteCases {
  /** Usable without a login. */
  isPublic?: true;
  /**
   * Whether suspended and banned users (the excluded ones) may use the route with any ids or only with their own ids.
   * Without this property, the route refuses them.
   */
  accessOfExcluded?: 'any_ids' | 'own_ids';
  /** Tried after all other routes, since a success deletes what these routes need. */
  runsLast?: true;
  cases: HttpCase[];
}

export interface FrameCase {
  data: (ids: Ids) => unknown;
  outcomes: Outcomes;
}

/** The expected access to everything that one module serves. */
export interface AuthorizationTable {
  /** By method and path as Express registers them, such as `GET /api/user/:id`. */
  routes?: Record<string, RouteCases>;
  /** By the name of the client event. */
  frames?: Record<string, FrameCase[]>;
}

export const FORBIDDEN = '403 forbidden';
export const NOT_FOUND = '404 not_found';
export const VALIDATION_FAILED = '400 validation_failed';

export const resolveOutcome = (outcome: Outcome, actor: Actor): string =>
  typeof outcome === 'string' ? outcome : (outcome[actor] ?? outcome.else);

/**
 * For a case without ids, or with ids on which the outcome does not depend. Each actor tries it once, with the kind
 * `own`.
 */
export const outcomeOfOneAttempt = (outcome: Outcome): Outcomes => ({ own: outcome });

/**
 * For a path or body that must contain the caller's own user id.
 * @param own the outcome for the caller's own id; it may be a refusal for another reason.
 * @param malformed a malformed id in a path is not found; for a body, pass `VALIDATION_FAILED`.
 */
export const forbidOtherUserIds = ({
  own,
  malformed = NOT_FOUND,
}: {
  own: Outcome;
  malformed?: string;
}): Outcomes => ({ own, other: FORBIDDEN, missing: FORBIDDEN, malformed });

/** For a path that must contain the id of a friend. */
export const allowOnlyFriendIds = (accepted: string): Outcomes => ({
  own: '403 not_friends',
  other: { friend: accepted, else: '403 not_friends' },
  missing: '403 not_friends',
  malformed: NOT_FOUND,
});

/** For a frame that must contain the sender's own user id. Without `own`, the own id is not tried. */
export const forbidOtherUserIdsInFrame = ({ own }: { own?: Outcome } = {}): Outcomes => ({
  ...(own === undefined ? {} : { own }),
  other: 'forbidden',
  missing: 'forbidden',
  malformed: 'invalid_payload',
});

/** For a frame whose receiver must be a friend. */
export const allowOnlyFriendAsReceiver: Outcomes = {
  own: 'not_friends',
  other: { friend: 'ack', else: 'not_friends' },
  missing: 'not_friends',
  malformed: 'invalid_payload',
};
