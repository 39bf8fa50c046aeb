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
export const reportsCases: AuthorizationTable = {
  routes: {
    'GET /api/reports/:userId': {
      cases: [
        { path: ({ user }) => `/api/reports/${String(user)}`, outcomes: forbidOtherUserIds({ own: '200' }) },
      ],
    },
    'POST /api/reports': {
      cases: [
        {
          // No caller has a chat with the friendless user, so a report fails even in the caller's own name.
          body: ({ user, friendlessId }) => ({ reporterId: user, targetId: friendlessId, category: 'spam' }),
          outcomes: forbidOtherUserIds({ own: NOT_FOUND, malformed: VALIDATION_FAILED }),
        },
        // The cases below do not try all kinds of ids, because a user may file only ten reports an hour.
        {
          // Without a session id, a report is about a private chat. Friends have one, and so have users between whom a
          // friend request is pending: the earlier attempts of `friendsCases` left one from `partner` to `self`.
          body: ({ user, callerId }) => ({ reporterId: callerId, targetId: user, category: 'spam' }),
          outcomes: {
            // `blocked` has no private chat with `self`, the other user. NOT_FOUND is only for users who never met.
            other: { friend: '201', partner: '201', blocked: '409 too_late', else: NOT_FOUND },
            missing: NOT_FOUND,
          },
        },
        {
          body: ({ session, callerId, otherUserId }) => ({
            reporterId: callerId,
            targetId: otherUserId,
            category: 'spam',
            sessionId: session,
          }),
          outcomes: {
            // Only for `partner`, the target is in the caller's own chat.
            own: { partner: '201', else: NOT_FOUND },
            other: NOT_FOUND,
            malformed: VALIDATION_FAILED,
          },
        },
      ],
    },
  },
};
