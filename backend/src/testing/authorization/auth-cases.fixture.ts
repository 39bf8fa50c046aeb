import {
  type AuthorizationTable,
  FORBIDDEN,
  forbidOtherUserIds,
  outcomeOfOneAttempt,
  STRANGER_EMAIL,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** Every actor sends a wrong password. Only `stranger` has a password; the other actors (`else`) are anonymous. */
const outcomesWithWrongPassword = forbidOtherUserIds({
  own: { stranger: '403 wrong_password', else: FORBIDDEN },
});

/**
 * The routes to log in and out, to register, and to change an email address or password.
 *
 * A case is tried with several kinds of ids (`IdKind`): the caller's own, another user's, ids that do not exist, and
 * malformed ones. A case without ids is tried once (`outcomeOfOneAttempt`). `outcomes` has the expected outcome for
 * each kind. If it differs between callers (`Actor`), it is an object with the callers as its keys. `accessOfExcluded`
 * is the access of suspended and banned users.
 */
export const authCases: AuthorizationTable = {
  routes: {
    'POST /api/login': {
      isPublic: true,
      accessOfExcluded: 'any_ids', // they can log in, too
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
          // The email address is that of `stranger`, so this converts no actor.
          body: ({ user }) => ({ userId: user, email: STRANGER_EMAIL, password: 'secret' }),
          outcomes: forbidOtherUserIds({
            own: { stranger: '403 not_anonymous', else: '409 email_taken' },
            malformed: VALIDATION_FAILED, // the id is in the body, not in the path
          }),
        },
      ],
    },
    'PUT /api/user/:id/email': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/email`,
          body: () => ({ newEmail: 'new@example.org', currentPassword: 'wrong' }),
          outcomes: outcomesWithWrongPassword,
        },
      ],
    },
    'PUT /api/user/:id/password': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/password`,
          body: () => ({ newPassword: 'secrets', currentPassword: 'wrong' }),
          outcomes: outcomesWithWrongPassword,
        },
      ],
    },
  },
};
