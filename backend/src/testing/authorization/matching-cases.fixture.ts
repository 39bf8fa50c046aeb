import { type AuthorizationTable, outcomeOfOneAttempt } from './authorization-case.fixture';

/**
 * The frames of matching contain no ids, so each actor sends them once. `self` and `partner` are in a chat with each
 * other; `leave_queue` is acknowledged whether or not the sender is searching.
 */
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
