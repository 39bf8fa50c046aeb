import { type AuthorizationTable, NOT_FOUND, forbidOtherUserIds } from './authorization-case.fixture';

export const usersCases: AuthorizationTable = {
  routes: {
    'GET /api/user/:id': {
      accessOfExcluded: 'own_ids',
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}`,
          outcomes: {
            own: '200',
            other: { friend: '200', partner: '200', else: NOT_FOUND },
            missing: NOT_FOUND,
            malformed: NOT_FOUND,
          },
        },
      ],
    },
    'PUT /api/user/:id': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}`,
          body: () => ({ username: 'Somebody', avatar: null }),
          outcomes: forbidOtherUserIds({ own: '200' }),
        },
      ],
    },
    'PATCH /api/user/:id': {
      cases: [
        {
          path: ({ user }) => `/api/user/${String(user)}`,
          body: () => ({ gender: 'male' }),
          // The users have chosen a gender already, and it cannot be changed.
          outcomes: forbidOtherUserIds({ own: '409 gender_already_set' }),
        },
      ],
    },
  },
};
