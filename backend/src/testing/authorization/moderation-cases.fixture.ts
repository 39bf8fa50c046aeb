import { type AuthorizationTable, FORBIDDEN, type Outcomes } from './authorization-case.fixture';

/** For users who are no moderators, every path and body looks the same. */
const moderatorsOnly: Outcomes = {
  own: FORBIDDEN,
  other: FORBIDDEN,
  missing: FORBIDDEN,
  malformed: FORBIDDEN,
};

export const moderationCases: AuthorizationTable = {
  routes: {
    'GET /api/moderation/cases': {
      cases: [
        { outcomes: { own: FORBIDDEN } },
        { path: () => '/api/moderation/cases?state=x&limit=-1&cursor=x', outcomes: { own: FORBIDDEN } },
      ],
    },
    'GET /api/moderation/cases/:caseId': {
      cases: [{ path: ({ user }) => `/api/moderation/cases/${String(user)}`, outcomes: moderatorsOnly }],
    },
    'GET /api/moderation/cases/:caseId/images/:imageId': {
      cases: [
        {
          path: ({ user, me }) => `/api/moderation/cases/${me}/images/${String(user)}`,
          outcomes: moderatorsOnly,
        },
      ],
    },
    'GET /api/moderation/images': { cases: [{ outcomes: { own: FORBIDDEN } }] },
    'DELETE /api/moderation/images/:imageId': {
      cases: [{ path: ({ user }) => `/api/moderation/images/${String(user)}`, outcomes: moderatorsOnly }],
    },
    'GET /api/moderation/metrics': { cases: [{ outcomes: { own: FORBIDDEN } }] },
    'GET /api/moderation/audit': {
      cases: [
        {
          path: ({ user }) => `/api/moderation/audit?moderatorId=${String(user)}`,
          outcomes: moderatorsOnly,
        },
      ],
    },
  },
};
