import { type AuthorizationTable, expectForAllIds } from './authorization-case.fixture';

export const matchingCases: AuthorizationTable = {
  frames: {
    leave_queue: [{ data: () => ({}), outcomes: expectForAllIds('ack') }],
    join_queue: [
      {
        data: () => ({}),
        outcomes: expectForAllIds({
          self: 'already_in_session',
          partner: 'already_in_session',
          else: 'ack',
        }),
      },
    ],
  },
};
