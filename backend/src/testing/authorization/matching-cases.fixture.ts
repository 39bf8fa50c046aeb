import { type AuthorizationTable, expectInOneAttempt } from './authorization-case.fixture';

export const matchingCases: AuthorizationTable = {
  frames: {
    leave_queue: [{ data: () => ({}), outcomes: expectInOneAttempt('ack') }],
    join_queue: [
      {
        data: () => ({}),
        outcomes: expectInOneAttempt({
          self: 'already_in_session',
          partner: 'already_in_session',
          else: 'ack',
        }),
      },
    ],
  },
};
