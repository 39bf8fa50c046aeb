import { limits } from '@thaw/contract/limits';
import { createGiven } from '../../../testing/given.fixture';
import type { BlockCommand } from './block.commands';
import { blockDecider } from './block.decider';
import type { BlockEvent } from './block.events';

const [ada, bob] = [3, 7];
const noon = new Date(Date.UTC(2026, 10, 20, 12));
const later = new Date(Date.UTC(2026, 10, 20, 13));
const given = createGiven(blockDecider);

const createStored = (type: BlockEvent['type']): BlockEvent => ({
  type,
  eventId: type,
  occurredAt: noon,
  data: { blockerId: ada, blockedId: bob },
});
const block = (
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
const unblock: BlockCommand = {
  type: 'UnblockUser',
  eventId: 'new',
  at: later,
  blockerId: ada,
  blockedId: bob,
};

describe('blocking a user', () => {
  it('is recorded once', () => {
    given()
      .when(block())
      .then({
        type: 'PersonBlocked',
        eventId: 'new',
        occurredAt: later,
        data: { blockerId: ada, blockedId: bob },
      });
    given(createStored('PersonBlocked')).when(block()).thenNothing();
  });

  it('is recorded again after an unblock', () => {
    given(createStored('PersonBlocked'), createStored('PersonUnblocked'))
      .when(block())
      .then({ type: 'PersonBlocked' });
  });

  it('is refused for oneself and for a user whom the blocker does not know', () => {
    given()
      .when(block({ blockedId: ada }))
      .thenThrows('not_found');
    given()
      .when(block({ mayBlock: false }))
      .thenThrows('not_found');
  });

  it('is refused when the list is full, but not for a user who is on it', () => {
    const blockedCount = limits.blockedUsersMax;
    given()
      .when(block({ blockedCount: blockedCount - 1 }))
      .then({ type: 'PersonBlocked' });
    given().when(block({ blockedCount })).thenThrows('limit_reached');
    given(createStored('PersonBlocked'))
      .when(block({ blockedCount, mayBlock: false }))
      .thenNothing();
  });
});

describe('unblocking a user', () => {
  it('is recorded', () => {
    given(createStored('PersonBlocked'))
      .when(unblock)
      .then({ type: 'PersonUnblocked', occurredAt: later, data: { blockerId: ada, blockedId: bob } });
  });

  it('is refused for a user who is not blocked', () => {
    given().when(unblock).thenThrows('not_found');
    given(createStored('PersonBlocked'), createStored('PersonUnblocked'))
      .when(unblock)
      .thenThrows('not_found');
  });
});
