import {
  type AuthorizationTable,
  NOT_FOUND,
  forbidOtherUserIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

// The keys of `outcomes` say whose id `user` is: the caller's own, another user's, a missing or a malformed one. For
// each caller except the actor `self`, the other user is `self`. The keys of `other` are callers. No caller has met the
// user `friendlessId`, so attempts with this id fail even for the caller's own `user`.
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
          body: ({ user, friendlessId }) => ({ blockerId: user, blockedId: friendlessId }),
          outcomes: forbidOtherUserIds({ own: NOT_FOUND, malformed: VALIDATION_FAILED }),
        },
        {
          body: ({ user, callerId }) => ({ blockerId: callerId, blockedId: user }),
          outcomes: {
            own: NOT_FOUND,
            // These callers have met `self`.
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
          outcomes: forbidOtherUserIds({ own: NOT_FOUND }),
        },
        {
          path: ({ user, callerId }) => `/api/blocks/${callerId}/${String(user)}`,
          outcomes: {
            own: NOT_FOUND,
            // These callers have blocked `self` in the attempts above.
            other: { friend: '204', partner: '204', blocked: '204', else: NOT_FOUND },
            missing: NOT_FOUND,
            malformed: NOT_FOUND,
          },
        },
      ],
    },
  },
};
