import {
  type AuthorizationTable,
  NOT_FOUND,
  forbidOtherUserIds,
  outcomeOfOneAttempt,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** Tried as tokens of an export and as receipt ids. The first has the valid form but does not exist. */
const INVALID_TOKENS = ['q83vEjRWeJCrze8SNFZ4kA', '1'];

/**
 * The routes by which users export their data or delete their account, and the public routes for receipts of deletions.
 * `accessOfExcluded` is the access of suspended and banned users: with any ids, or only with their own. A case whose
 * outcome does not depend on ids is tried once by each actor (`outcomeOfOneAttempt`). Only `stranger` is a registered
 * user with a password; the other actors (`else`) are anonymous.
 */
export const myDataCases: AuthorizationTable = {
  routes: {
    'POST /api/user/:id/erasure': {
      accessOfExcluded: 'own_ids',
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/erasure`,
          // `stranger` is refused for the wrong password. Anonymous users, who have none, must send `confirm` instead,
          // and are refused because it is missing.
          body: () => ({ currentPassword: 'wrong' }),
          outcomes: forbidOtherUserIds({ own: { stranger: '403 wrong_password', else: VALIDATION_FAILED } }),
        },
      ],
    },
    'POST /api/my-data/:userId/export': {
      accessOfExcluded: 'own_ids',
      cases: [
        {
          path: ({ user }) => `/api/my-data/${String(user)}/export`,
          // `stranger` is refused for the wrong password. Anonymous users need none.
          body: () => ({ currentPassword: 'wrong' }),
          outcomes: forbidOtherUserIds({ own: { stranger: '403 wrong_password', else: '201' } }),
        },
      ],
    },
    'GET /api/my-data/exports/:token': {
      accessOfExcluded: 'any_ids',
      // An encoded `../` must not lead to another route.
      cases: [...INVALID_TOKENS, '..%2fexport'].map((token) => ({
        path: () => `/api/my-data/exports/${token}`,
        outcomes: outcomeOfOneAttempt(NOT_FOUND),
      })),
    },
    'GET /api/receipts/keys': {
      isPublic: true,
      accessOfExcluded: 'any_ids',
      cases: [{ outcomes: outcomeOfOneAttempt('200') }],
    },
    'GET /api/receipts/:receiptId': {
      isPublic: true,
      accessOfExcluded: 'any_ids',
      cases: [...INVALID_TOKENS, '..%2fkeys'].map((receiptId) => ({
        path: () => `/api/receipts/${receiptId}`,
        outcomes: outcomeOfOneAttempt(NOT_FOUND),
      })),
    },
  },
};
