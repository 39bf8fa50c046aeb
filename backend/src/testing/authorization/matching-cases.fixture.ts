import { type AuthorizationTable, sameForAllIds } from './authorization-case.fixture';

export const matchingCases: AuthorizationTable = {
  frames: {
    leave_queue: [{ data: () => ({}), outcomes: sameForAllIds('ack') }],
    join_queue: [
      {
        data: () => ({}),
        outcomes: sameForAllIds({
          self: 'already_in_session',
          partner: 'already_in_session',
          else: 'ack',
        }),
      },
    ],
  },
};
