import {
  type AuthorizationTable,
  FORBIDDEN,
  forbidOtherUserIds,
  outcomeOfOneAttempt,
  STRANGER_EMAIL,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/**
 * `stranger` is registered; the other actors, `else`, are anonymous and have neither an email address nor a password.
 * Suspended and banned users may use the routes with `accessOfExcluded`. A case without ids is tried once by each actor
 * (`outcomeOfOneAttempt`).
 */
export const authCases: AuthorizationTable = {
  routes: {
    'POST /api/login': {
      isPublic: true,
      accessOfExcluded: 'any_ids',
      cases: [{ body: () => ({}), outcomes: outcomeOfOneAttempt(VALIDATION_FAILED) }],
    },
    'POST /api/register': {
      isPublic: true,
      cases: [{ body: () => ({}), outcomes: outcomeOfOneAttempt(VALIDATION_FAILED) }],
    },
    // These two are not tried, because they would replace or end the logins of actors.
    'POST /api/anonymous': { isPublic: true, accessOfExcluded: 'any_ids', cases: [] },
    'POST /api/logout': { isPublic: true, accessOfExcluded: 'any_ids', cases: [] },
    'POST /api/convert-anonymous': {
      accessOfExcluded: 'any_ids',
      cases: [
        {
          // The email address is taken, so this converts no actor. A malformed id in a body is refused with 400.
          body: ({ user }) => ({ userId: user, email: STRANGER_EMAIL, password: 'secret' }),
          outcomes: forbidOtherUserIds({
            own: { stranger: '403 not_anonymous', else: '409 email_taken' },
            malformed: VALIDATION_FAILED,
          }),
        },
      ],
    },
    'PUT /api/user/:id/email': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/email`,
          body: () => ({ newEmail: 'new@example.org', currentPassword: 'wrong' }),
          outcomes: forbidOtherUserIds({ own: { stranger: '403 wrong_password', else: FORBIDDEN } }),
        },
      ],
    },
    'PUT /api/user/:id/password': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/password`,
          body: () => ({ newPassword: 'secrets', currentPassword: 'wrong' }),
          outcomes: forbidOtherUserIds({ own: { stranger: '403 wrong_password', else: FORBIDDEN } }),
        },
      ],
    },
  },
};
