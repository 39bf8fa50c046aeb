import {
  type AuthorizationTable,
  NOT_FOUND,
  forbidOtherUserIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/**
 * Each case is tried with four kinds of ids (`IdKind`): the caller's own, another user's, ids that do not exist, and
 * malformed ones. `outcomes` has the expected outcome for each kind. If it differs between callers (`Actor`), it is an
 * object with the callers as its keys.
 */
export const friendsCases: AuthorizationTable = {
  routes: {
    'POST /api/friends/request': {
      cases: [
        {
          // No caller has chatted with this addressee, so even a request in the caller's own name is refused.
          body: ({ user, friendlessId }) => ({ requesterId: user, addresseeId: friendlessId }),
          outcomes: forbidOtherUserIds({ own: NOT_FOUND, malformed: VALIDATION_FAILED }),
        },
        {
          body: ({ user, callerId }) => ({ requesterId: callerId, addresseeId: user }),
          outcomes: {
            own: NOT_FOUND,
            other: { friend: '409 already_friends', partner: '201', else: NOT_FOUND },
            missing: NOT_FOUND,
            malformed: VALIDATION_FAILED,
          },
        },
      ],
    },
    'PUT /api/friends/request/:requestId': {
      cases: [
        {
          path: ({ request }) => `/api/friends/request/${String(request)}`,
          body: () => ({ status: 'declined' }),
          outcomes: { own: '200', other: NOT_FOUND, missing: NOT_FOUND, malformed: NOT_FOUND },
        },
      ],
    },
    'GET /api/friends/requests/:userId': {
      cases: [
        {
          path: ({ user }) => `/api/friends/requests/${String(user)}`,
          outcomes: forbidOtherUserIds({ own: '200' }),
        },
      ],
    },
    'GET /api/friends/:userId': {
      cases: [
        { path: ({ user }) => `/api/friends/${String(user)}`, outcomes: forbidOtherUserIds({ own: '200' }) },
      ],
    },
    'DELETE /api/friends/:userId/:friendId': {
      // A removal ends the friendship that cases of other routes need.
      runsLast: true,
      cases: [
        {
          path: ({ user, friendlessId }) => `/api/friends/${String(user)}/${friendlessId}`,
          outcomes: forbidOtherUserIds({ own: NOT_FOUND }),
        },
        {
          path: ({ user, callerId }) => `/api/friends/${callerId}/${String(user)}`,
          outcomes: {
            own: NOT_FOUND,
            other: { friend: '204', else: NOT_FOUND },
            missing: NOT_FOUND,
            malformed: NOT_FOUND,
          },
        },
      ],
    },
  },
};
