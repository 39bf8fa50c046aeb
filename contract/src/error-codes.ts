/** HTTP status of each error `code`. The list is closed: no error response has another code. */
export const httpErrorStatus = {
  validation_failed: 400,
  not_signed_in: 401,
  invalid_credentials: 401,
  forbidden: 403,
  wrong_password: 403,
  /** Only an anonymous user can be converted to an account. */
  not_anonymous: 403,
  not_friends: 403,
  suspended: 403,
  /** The `Origin` header names another site. */
  bad_origin: 403,
  not_found: 404,
  email_taken: 409,
  gender_already_set: 409,
  already_friends: 409,
  /**
   * A friend request, case, ban, appeal or age question no longer waits for an answer. Also: the sanction that a
   * moderator lifts is no longer in force.
   */
  already_answered: 409,
  /** The user has already blocked `limits.blockedUsersMax` users. */
  limit_reached: 409,
  /** The period for the report or the appeal is over. */
  too_late: 409,
  /** Another moderator has claimed the case. */
  claimed: 409,
  /** The case has changed since the version that the moderator saw. */
  case_changed: 409,
  /** A moderator may not decide on a case, an appeal, a sanction or a legal hold in which they are involved. */
  own_decision: 409,
  too_large: 413,
  unsupported_type: 415,
  /** The file is of an accepted type but cannot be processed as an image. */
  image_refused: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type HttpErrorCode = keyof typeof httpErrorStatus;

export interface HttpErrorBody {
  statusCode: number;
  code: HttpErrorCode;
  /** A text for users. */
  message: string;
}

/** Every `code` of an `error` frame. The list is closed. */
export const socketErrorCodes = [
  'invalid_json',
  'unknown_event',
  'invalid_payload',
  'not_authenticated',
  'forbidden',
  'gender_required',
  // In these three codes, `session` means a random chat.
  'already_in_session',
  'not_in_session',
  'session_ended',
  'message_not_found',
  'not_editable',
  'message_too_long',
  'unknown_emoji',
  'game_active',
  'game_not_active',
  'unknown_question',
  // The user has already answered this question of Break the Ice.
  'already_answered',
  'not_friends',
  // The message shows an image that the sender did not upload, or that is not stored on this server.
  'image_not_yours',
  'rate_limited',
  'suspended',
  'unavailable',
  'internal',
] as const;

export type SocketErrorCode = (typeof socketErrorCodes)[number];
