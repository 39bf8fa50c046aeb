/** Closed list of `code` in HTTP error bodies, with the status of the response. */
export const httpErrorStatus = {
  validation_failed: 400,
  not_signed_in: 401,
  invalid_credentials: 401,
  forbidden: 403,
  wrong_password: 403,
  not_anonymous: 403,
  not_friends: 403,
  suspended: 403,
  bad_origin: 403,
  not_found: 404,
  email_taken: 409,
  gender_already_set: 409,
  already_friends: 409,
  already_answered: 409,
  too_large: 413,
  unsupported_type: 415,
  image_refused: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type HttpErrorCode = keyof typeof httpErrorStatus;

export interface HttpErrorBody {
  statusCode: number;
  code: HttpErrorCode;
  /** May be shown to users. */
  message: string;
}

/** Closed list of `code` in socket `error` frames. */
export const socketErrorCodes = [
  'invalid_json',
  'unknown_event',
  'invalid_payload',
  'not_authenticated',
  'forbidden',
  'gender_required',
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
  'already_answered',
  'not_friends',
  'image_not_yours',
  'rate_limited',
  'suspended',
  'unavailable',
  'internal',
] as const;

export type SocketErrorCode = (typeof socketErrorCodes)[number];
