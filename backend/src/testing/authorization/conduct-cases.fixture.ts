import {
  type AuthorizationTable,
  FORBIDDEN,
  NOT_FOUND,
  forbidOtherUserIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

const words = 'It was a misunderstanding.';

export const conductCases: AuthorizationTable = {
  routes: {
    'GET /api/notices/:userId': {
      accessOfExcluded: 'any_ids',
      cases: [
        { path: ({ user }) => `/api/notices/${String(user)}`, outcomes: forbidOtherUserIds({ own: '200' }) },
      ],
    },
    'PUT /api/notices/:noticeId': {
      accessOfExcluded: 'any_ids',
      cases: [
        {
          path: ({ notice }) => `/api/notices/${String(notice)}`,
          body: () => ({ seen: true }),
          outcomes: { own: '200', other: NOT_FOUND, missing: NOT_FOUND, malformed: NOT_FOUND },
        },
        {
          path: ({ notice }) => `/api/notices/${String(notice)}`,
          // The notices here are warnings. Only a notice that asks for the user's age accepts an `answer`.
          body: () => ({ seen: true, answer: 'adult' }),
          outcomes: { own: VALIDATION_FAILED, other: NOT_FOUND },
        },
      ],
    },
    'POST /api/appeals': {
      accessOfExcluded: 'any_ids',
      // Each outcome below is one attempt by each user: five attempts stay within the limit of five appeals a day.
      cases: [
        {
          body: ({ user, notice }) => ({ userId: user, noticeId: notice, words }),
          outcomes: { own: '201', other: FORBIDDEN, malformed: VALIDATION_FAILED },
        },
        {
          body: ({ callerId, notice }) => ({ userId: callerId, noticeId: notice, words }),
          outcomes: { other: NOT_FOUND, missing: NOT_FOUND },
        },
      ],
    },
  },
};
