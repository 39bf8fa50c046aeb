import {
  type AuthorizationTable,
  NOT_FOUND,
  allowOnlyOwnUserId,
  outcomeOfOneAttempt,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** A token or receipt id that has the valid form but does not exist, and one that is too short. */
const UNKNOWN_TOKENS = ['q83vEjRWeJCrze8SNFZ4kA', '1'];

export const myDataCases: AuthorizationTable = {
  routes: {
    'POST /api/user/:id/erasure': {
      isOpenToExcluded: 'with_own_ids',
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/erasure`,
          // Without `confirm`, so that no anonymous user is deleted.
          body: () => ({ currentPassword: 'wrong' }),
          outcomes: allowOnlyOwnUserId({ stranger: '403 wrong_password', else: VALIDATION_FAILED }),
        },
      ],
    },
    'POST /api/my-data/:userId/export': {
      isOpenToExcluded: 'with_own_ids',
      cases: [
        {
          path: ({ user }) => `/api/my-data/${String(user)}/export`,
          body: () => ({ currentPassword: 'wrong' }), // anonymous users have no password
          outcomes: allowOnlyOwnUserId({ stranger: '403 wrong_password', else: '201' }),
        },
      ],
    },
    'GET /api/my-data/exports/:token': {
      isOpenToExcluded: true,
      cases: [...UNKNOWN_TOKENS, '..%2fexport'].map((token) => ({
        path: () => `/api/my-data/exports/${token}`,
        outcomes: outcomeOfOneAttempt(NOT_FOUND),
      })),
    },
    'GET /api/receipts/keys': {
      isPublic: true,
      isOpenToExcluded: true,
      cases: [{ outcomes: outcomeOfOneAttempt('200') }],
    },
    'GET /api/receipts/:receiptId': {
      isPublic: true,
      isOpenToExcluded: true,
      cases: [...UNKNOWN_TOKENS, '..%2fkeys'].map((receiptId) => ({
        path: () => `/api/receipts/${receiptId}`,
        outcomes: outcomeOfOneAttempt(NOT_FOUND),
      })),
    },
  },
};
