import {
  type AuthorizationTable,
  NOT_FOUND,
  allowOnlyOwnUserId,
  expectWithoutIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

export const myDataCases: AuthorizationTable = {
  routes: {
    'POST /api/user/:id/erasure': {
      isOpenToExcluded: 'with_own_ids',
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}/erasure`,
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
          body: () => ({ currentPassword: 'wrong' }),
          outcomes: allowOnlyOwnUserId({ stranger: '403 wrong_password', else: '201' }),
        },
      ],
    },
    'GET /api/my-data/exports/:token': {
      isOpenToExcluded: true,
      cases: ['q83vEjRWeJCrze8SNFZ4kA', '1', '..%2fexport'].map((token) => ({
        path: () => `/api/my-data/exports/${token}`,
        outcomes: expectWithoutIds(NOT_FOUND),
      })),
    },
    'GET /api/receipts/keys': {
      isPublic: true,
      isOpenToExcluded: true,
      cases: [{ outcomes: expectWithoutIds('200') }],
    },
    'GET /api/receipts/:receiptId': {
      isPublic: true,
      isOpenToExcluded: true,
      cases: ['q83vEjRWeJCrze8SNFZ4kA', '1', '..%2fkeys'].map((receiptId) => ({
        path: () => `/api/receipts/${receiptId}`,
        outcomes: expectWithoutIds(NOT_FOUND),
      })),
    },
  },
};
