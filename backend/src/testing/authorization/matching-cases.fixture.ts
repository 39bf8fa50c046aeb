import { type AuthorizationTable, outcomeOfOneAttempt } from './authorization-case.fixture';

export const matchingCases: AuthorizationTable = {
  frames: {
    leave_queue: [{ data: () => ({}), outcomes: outcomeOfOneAttempt('ack') }],
    join_queue: [
      {
        data: () => ({}),
        outcomes: outcomeOfOneAttempt({
          self: 'already_in_session',
          partner: 'already_in_session',
          else: 'ack',
        }),
      },
    ],
  },
};
