import {
  type AuthorizationTable,
  NOT_FOUND,
  forbidOtherUserIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/**
 * Cases are tried with several kinds of ids (`IdKind`): the caller's own, another user's, ids that do not exist, and
 * malformed ones. `outcomes` has the expected outcome for each kind. If it differs between callers (`Actor`), it is an
 * object with the callers as its keys.
 */
export const blocksCases: AuthorizationTable = {
  routes: {
    'GET /api/blocks/:userId': {
      cases: [
        { path: ({ user }) => `/api/blocks/${String(user)}`, outcomes: forbidOtherUserIds({ own: '200' }) },
      ],
    },
    'POST /api/blocks': {
      // A block ends the chat and the friendship that cases of other routes need.
      runsLast: true,
      cases: [
        {
          // No caller has met the friendless user, so a block fails even in the caller's own name.
          body: ({ user, friendlessId }) => ({ blockerId: user, blockedId: friendlessId }),
          outcomes: forbidOtherUserIds({ own: NOT_FOUND, malformed: VALIDATION_FAILED }),
        },
        {
          body: ({ user, callerId }) => ({ blockerId: callerId, blockedId: user }),
          outcomes: {
            own: NOT_FOUND,
            // The other user is `self`, whom these callers have met.
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
          // No caller has blocked the friendless user.
          path: ({ user, friendlessId }) => `/api/blocks/${String(user)}/${friendlessId}`,
          outcomes: forbidOtherUserIds({ own: NOT_FOUND }),
        },
        {
          path: ({ user, callerId }) => `/api/blocks/${callerId}/${String(user)}`,
          outcomes: {
            own: NOT_FOUND,
            // These callers have blocked the other user, `self`, in the attempts above.
            other: { friend: '204', partner: '204', blocked: '204', else: NOT_FOUND },
            missing: NOT_FOUND,
            malformed: NOT_FOUND,
          },
        },
      ],
    },
  },
};
