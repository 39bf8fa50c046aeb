import {
  type AuthorizationTable,
  NOT_FOUND,
  allowOnlyOwnUserId,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

export const reportsCases: AuthorizationTable = {
  routes: {
    'GET /api/reports/:userId': {
      cases: [{ path: ({ user }) => `/api/reports/${String(user)}`, outcomes: allowOnlyOwnUserId('200') }],
    },
    'POST /api/reports': {
      cases: [
        {
          // The caller has no chat with the friendless user, so a report in the caller's own name is refused, too.
          body: ({ user, friendlessId }) => ({ reporterId: user, targetId: friendlessId, category: 'spam' }),
          outcomes: allowOnlyOwnUserId(NOT_FOUND, { malformed: VALIDATION_FAILED }),
        },
        // The cases below do not try all kinds of ids, because a user may file only ten reports an hour.
        {
          // Without a session id, a report is about a private chat. Friends have one, and so have users between whom a
          // friend request is pending: the cases of friend requests have left one between the partners.
          body: ({ user, callerId }) => ({ reporterId: callerId, targetId: user, category: 'spam' }),
          outcomes: {
            // `blocked` and `self` have met in a random chat, but share no private chat.
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
            own: { partner: '201', else: NOT_FOUND },
            other: NOT_FOUND,
            malformed: VALIDATION_FAILED,
          },
        },
      ],
    },
  },
};
