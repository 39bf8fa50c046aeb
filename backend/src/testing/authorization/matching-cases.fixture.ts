import { type AuthorizationTable, expectWithoutIds } from './authorization-case.fixture';

export const matchingCases: AuthorizationTable = {
  frames: {
    leave_queue: [{ data: () => ({}), outcomes: expectWithoutIds('ack') }],
    join_queue: [
      {
        data: () => ({}),
        outcomes: expectWithoutIds({
          self: 'already_in_session',
          partner: 'already_in_session',
          else: 'ack',
        }),
      },
    ],
  },
};
