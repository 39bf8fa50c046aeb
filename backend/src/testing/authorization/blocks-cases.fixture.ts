import {
  type AuthorizationTable,
  NOT_FOUND,
  allowOnlyOwnUserId,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

export const blocksCases: AuthorizationTable = {
  routes: {
    'GET /api/blocks/:userId': {
      cases: [{ path: ({ user }) => `/api/blocks/${String(user)}`, outcomes: allowOnlyOwnUserId('200') }],
    },
    'POST /api/blocks': {
      // A block ends the chat and the friendship that cases of other routes need.
      runsLast: true,
      cases: [
        {
          body: ({ user, friendlessId }) => ({ blockerId: user, blockedId: friendlessId }),
          outcomes: allowOnlyOwnUserId(NOT_FOUND, { malformed: VALIDATION_FAILED }),
        },
        {
          body: ({ user, callerId }) => ({ blockerId: callerId, blockedId: user }),
          outcomes: {
            own: NOT_FOUND,
            other: { friend: '201', partner: '201', blocked: '201', else: NOT_FOUND },
            missing: NOT_FOUND,
            malformed: VALIDATION_FAILED,
          },
        },
      ],
    },
    'DELETE /api/blocks/:userId/:blockedId': {
      runsLast: true,
      cases: [
        {
          path: ({ user, friendlessId }) => `/api/blocks/${String(user)}/${friendlessId}`,
          outcomes: allowOnlyOwnUserId(NOT_FOUND),
        },
        {
          path: ({ user, callerId }) => `/api/blocks/${callerId}/${String(user)}`,
          outcomes: {
            own: NOT_FOUND,
            other: { friend: '204', partner: '204', blocked: '204', else: NOT_FOUND },
            missing: NOT_FOUND,
            malformed: NOT_FOUND,
          },
        },
      ],
    },
  },
};
