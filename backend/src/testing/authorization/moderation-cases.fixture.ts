import {
  type AuthorizationTable,
  FORBIDDEN,
  type Outcomes,
  type RouteCases,
} from './authorization-case.fixture';

/** For users who are no moderators, every path and body looks the same. */
const moderatorsOnly: Outcomes = {
  own: FORBIDDEN,
  other: FORBIDDEN,
  missing: FORBIDDEN,
  malformed: FORBIDDEN,
};

/** An act on a case, with a body that would be refused. */
const forCase = (method: string, act: string): Record<string, RouteCases> => ({
  [`${method} /api/moderation/cases/:caseId/${act}`]: {
    cases: [
      {
        path: ({ user }) => `/api/moderation/cases/${String(user)}/${act}`,
        body: () => ({ version: 'x' }),
        outcomes: moderatorsOnly,
      },
    ],
  },
});

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
    ...forCase('POST', 'claim'),
    ...forCase('DELETE', 'claim'),
    ...forCase('POST', 'notes'),
    ...forCase('POST', 'escalation'),
    ...forCase('POST', 'decision'),
    ...forCase('POST', 'confirmation'),
    'PUT /api/moderation/appeals/:appealId': {
      cases: [
        {
          path: ({ user }) => `/api/moderation/appeals/${String(user)}`,
          body: () => ({ version: 'x' }),
          outcomes: moderatorsOnly,
        },
      ],
    },
    'POST /api/moderation/sanctions/:sanctionId/lift': {
      cases: [
        {
          path: ({ user }) => `/api/moderation/sanctions/${String(user)}/lift`,
          body: () => ({}),
          outcomes: moderatorsOnly,
        },
      ],
    },
    'GET /api/moderation/people/:userId': {
      cases: [{ path: ({ user }) => `/api/moderation/people/${String(user)}`, outcomes: moderatorsOnly }],
    },
    'PUT /api/moderation/people/:userId/hold': {
      cases: [
        {
          path: ({ user }) => `/api/moderation/people/${String(user)}/hold`,
          body: () => ({ isHeld: true, reason: 'x' }),
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
