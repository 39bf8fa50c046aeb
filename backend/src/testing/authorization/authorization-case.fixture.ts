/** Signed-in users in good standing, by their relation to `self`. They try every frame and every route. */
export const ACTORS = ['self', 'anonymous', 'stranger', 'friend', 'partner'] as const;
/** Users who try every route. `self` has blocked `blocked`. */
export const HTTP_ACTORS = [...ACTORS, 'blocked'] as const;
/** Users who try the routes of moderation, which refuse all other users. */
export const MODERATORS = ['moderator', 'otherModerator'] as const;
/** `suspended` tries every route, with outcomes that follow from the kind of route. */
export type Actor = (typeof HTTP_ACTORS)[number] | (typeof MODERATORS)[number] | 'suspended';

/** Whose ids an attempt uses: the caller's, another user's, ids that do not exist, or malformed ids. */
export const ID_KINDS = ['own', 'other', 'missing', 'malformed'] as const;
export type IdKind = (typeof ID_KINDS)[number];

/**
 * An expected result: for HTTP the status, with the error code of a refusal; for a frame the event of the answer, the
 * code of an error frame, or `closed <close code>`.
 */
export type Outcome = string | ({ else: string } & Partial<Record<Actor, string>>);
/** Kinds of ids without an outcome are not tried. */
export type Outcomes = Partial<Record<IdKind, Outcome>>;

/** The ids of one kind that an attempt may use. */
export interface Ids {
  user: unknown;
  session: unknown;
  message: unknown;
  request: unknown;
  image: unknown;
  notice: unknown;
  /**
   * Ids on which moderators act: those of a user whose case the moderator has claimed for `own`, of a user whose case
   * the other moderator has claimed for `other`. Other users use those of the first moderator.
   */
  case: unknown;
  sanction: unknown;
  appeal: unknown;
  /** The user whom moderators act on; for `other`, the caller. */
  person: unknown;
  evidenceImage: unknown;
  blockedImage: unknown;
  /** The version of the case. */
  version: number;
  /** The caller's own user id, for every kind. */
  callerId: number;
  /** A user without friends. */
  friendlessId: number;
  /** The user who owns the ids of the kind `other`. */
  otherUserId: number;
}

export interface HttpCase {
  /** The path of the route itself when left out. */
  path?: (ids: Ids) => string;
  body?: (ids: Ids) => unknown;
  outcomes: Outcomes;
  /** The outcomes for moderators, for the routes that refuse everyone else. */
  moderatorOutcomes?: Outcomes;
}

export interface RouteCases {
  /** Usable without a login. */
  isPublic?: true;
  /** Usable by suspended and banned users, some routes with their own ids only. All other routes refuse them. */
  isOpenToExcluded?: true | 'with_own_ids';
  /** Tried after all other routes, since a success takes away what they rely on. */
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

/** For a case whose path and body contain no ids: it is tried once for each actor. */
export const expectWithoutIds = (outcome: Outcome): Outcomes => ({ own: outcome });

/** For a path or body that must contain the caller's own user id. */
export const allowOnlyOwnUserId = (own: Outcome, malformed = NOT_FOUND): Outcomes => ({
  own,
  other: FORBIDDEN,
  missing: FORBIDDEN,
  malformed,
});

/** For a path that must contain the id of a friend. */
export const allowOnlyFriendIds = (accepted: string): Outcomes => ({
  own: '403 not_friends',
  other: { friend: accepted, else: '403 not_friends' },
  missing: '403 not_friends',
  malformed: NOT_FOUND,
});

/** For a frame that must contain the sender's own user id; the own id is not tried when `own` is left out. */
export const allowOnlyOwnUserIdInFrame = (own?: Outcome): Outcomes => ({
  ...(own === undefined ? {} : { own }),
  other: 'forbidden',
  missing: 'forbidden',
  malformed: 'invalid_payload',
});

/** For a frame whose receiver must be a friend. */
export const onlyFriendAsReceiver: Outcomes = {
  own: 'not_friends',
  other: { friend: 'ack', else: 'not_friends' },
  missing: 'not_friends',
  malformed: 'invalid_payload',
};
