import {
  type AuthorizationTable,
  NOT_FOUND,
  forbidOtherUserIds,
  outcomeOfOneAttempt,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** Tried as tokens of an export and as receipt ids. The first has the valid form but does not exist. */
const INVALID_TOKENS = ['q83vEjRWeJCrze8SNFZ4kA', '1'];

export const myDataCases: AuthorizationTable = {
  routes: {
    'POST /api/user/:id/erasure': {
      accessOfExcluded: 'own_ids',
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/erasure`,
          // The request lacks `confirm`, without which no anonymous user is deleted. The password is checked only for
          // `stranger`, because anonymous users have none.
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
          // The password is checked only for `stranger`, because anonymous users have none.
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
