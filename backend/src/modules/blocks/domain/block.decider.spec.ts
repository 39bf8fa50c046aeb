import { limits } from '@thaw/contract/limits';
import { createGiven } from '../../../testing/given.fixture';
import type { BlockCommand } from './block.commands';
import { blockDecider } from './block.decider';
import type { BlockEvent } from './block.events';

const [ada, bob] = [3, 7];
const noon = new Date(Date.UTC(2026, 10, 20, 12));
const later = new Date(Date.UTC(2026, 10, 20, 13));
const given = createGiven(blockDecider);

/** The stored event types say `Person` for a user (docs/stored-names.md). */
const createEvent = (type: BlockEvent['type']): BlockEvent => ({
  type,
  eventId: type,
  occurredAt: noon,
  data: { blockerId: ada, blockedId: bob },
});
const createBlockCommand = (
  fields: { blockedId?: number; mayBlock?: boolean; blockedCount?: number } = {},
): BlockCommand => ({
  type: 'BlockUser',
  eventId: 'new',
  at: later,
  blockerId: ada,
  blockedId: bob,
  mayBlock: true,
  blockedCount: 0,
  ...fields,
});
const unblockCommand: BlockCommand = {
  type: 'UnblockUser',
  eventId: 'new',
  at: later,
  blockerId: ada,
  blockedId: bob,
};

describe('blocking a user', () => {
  it('is recorded once', () => {
    given()
      .when(createBlockCommand())
      .then({
        type: 'PersonBlocked',
        eventId: 'new',
        occurredAt: later,
        data: { blockerId: ada, blockedId: bob },
      });
    given(createEvent('PersonBlocked')).when(createBlockCommand()).thenNothing();
  });

  it('is recorded again after an unblock', () => {
    given(createEvent('PersonBlocked'), createEvent('PersonUnblocked'))
      .when(createBlockCommand())
      .then({ type: 'PersonBlocked' });
  });

  it('is refused for oneself', () => {
    given()
      .when(createBlockCommand({ blockedId: ada }))
      .thenThrows('not_found');
  });

  it('is refused for a user whom the blocker may not block', () => {
    given()
      .when(createBlockCommand({ mayBlock: false }))
      .thenThrows('not_found');
  });

  it('is refused when, and only when, the list of blocked users is full', () => {
    given()
      .when(createBlockCommand({ blockedCount: limits.blockedUsersMax - 1 }))
      .then({ type: 'PersonBlocked' });
    given()
      .when(createBlockCommand({ blockedCount: limits.blockedUsersMax }))
      .thenThrows('limit_reached');
  });

  it('has no effect for a user who is already blocked, even when a new block would be refused', () => {
    given(createEvent('PersonBlocked'))
      .when(createBlockCommand({ blockedCount: limits.blockedUsersMax, mayBlock: false }))
      .thenNothing();
  });
});

describe('unblocking a user', () => {
  it('is recorded', () => {
    given(createEvent('PersonBlocked'))
      .when(unblockCommand)
      .then({ type: 'PersonUnblocked', occurredAt: later, data: { blockerId: ada, blockedId: bob } });
  });

  it('is refused for a user who is not blocked', () => {
    given().when(unblockCommand).thenThrows('not_found');
    given(createEvent('PersonBlocked'), createEvent('PersonUnblocked'))
      .when(unblockCommand)
      .thenThrows('not_found');
  });
});
