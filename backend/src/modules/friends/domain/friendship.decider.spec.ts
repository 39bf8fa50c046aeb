import { createGiven } from '../../../testing/given.fixture';
import { DECLINE_COOL_DOWN_MS, friendshipDecider } from './friendship.decider';
import type { FriendshipCommand } from './friendship.commands';
import { type FriendshipEvent, buildFriendshipStreamId } from './friendship.events';

const ada = 3;
const bob = 7;
const start = Date.UTC(2026, 10, 20);
const computeTime = (ms: number): Date => new Date(start + ms);

const given = createGiven(friendshipDecider);

const createSent = (
  options: { requestId?: number; from?: number; isHidden?: boolean } = {},
): FriendshipEvent => {
  const { requestId = 1, from = ada, isHidden = false } = options;
  return {
    type: 'FriendRequestSent',
    eventId: `sent ${requestId}`,
    occurredAt: computeTime(0),
    data: { requestId, requesterId: from, addresseeId: from === ada ? bob : ada, isHidden },
  };
};
const createAnswered = (
  type: 'FriendRequestAccepted' | 'FriendRequestDeclined',
  requestId = 1,
  from = ada,
): FriendshipEvent => ({
  type,
  eventId: `answered ${requestId}`,
  occurredAt: computeTime(0),
  data: { requestId, requesterId: from, addresseeId: from === ada ? bob : ada },
});
const createAccepted = (requestId = 1) => createAnswered('FriendRequestAccepted', requestId);
const createDeclined = (requestId = 1) => createAnswered('FriendRequestDeclined', requestId);
const createRemoved = (): FriendshipEvent => ({
  type: 'FriendshipRemoved',
  eventId: 'removed',
  occurredAt: computeTime(0),
  data: { removedBy: ada, removedFriendId: bob },
});

const request = (
  options: { from?: number; haveChatted?: boolean; laterMs?: number } = {},
): FriendshipCommand => {
  const { from = ada, haveChatted = true, laterMs = 1_000 } = options;
  return {
    type: 'SendFriendRequest',
    eventId: 'new',
    at: computeTime(laterMs),
    requestId: 9,
    requesterId: from,
    addresseeId: from === ada ? bob : ada,
    haveChatted,
  };
};
const answer = (status: 'accepted' | 'declined', userId = bob, requestId = 1): FriendshipCommand => ({
  type: 'AnswerFriendRequest',
  eventId: 'new',
  at: computeTime(1_000),
  requestId,
  userId,
  answer: status,
});
const remove = (userId = ada): FriendshipCommand => ({
  type: 'RemoveFriend',
  eventId: 'new',
  at: computeTime(1_000),
  userId,
  friendId: userId === ada ? bob : ada,
});

describe('a friend request', () => {
  it('is sent to a user whom the requester has met', () => {
    given()
      .when(request())
      .then({
        type: 'FriendRequestSent',
        data: { requestId: 9, requesterId: ada, addresseeId: bob, isHidden: false },
      });
  });

  it('to a user whom the requester has not met is answered not_found', () => {
    given()
      .when(request({ haveChatted: false }))
      .thenThrows('not_found');
  });

  it('to oneself is answered not_found', () => {
    given()
      .when({ ...request(), addresseeId: ada } as FriendshipCommand)
      .thenThrows('not_found');
  });

  it('is sent once when repeated, no matter how long ago the two met', () => {
    given(createSent())
      .when(request({ haveChatted: false }))
      .thenNothing();
  });

  it('that crosses another makes the two friends, no matter how long ago they met', () => {
    given(createSent())
      .when(request({ from: bob, haveChatted: false }))
      .then({ type: 'FriendRequestAccepted', data: { requestId: 1, requesterId: ada, addresseeId: bob } });
  });

  it('between friends is refused', () => {
    given(createSent(), createAccepted()).when(request()).thenThrows('already_friends');
    given(createSent(), createAccepted())
      .when(request({ from: bob }))
      .thenThrows('already_friends');
  });

  it('can be sent again after the friendship has ended, if the two have met', () => {
    given(createSent(), createAccepted(), createRemoved())
      .when(request())
      .then({ type: 'FriendRequestSent', data: { isHidden: false } });
    given(createSent(), createAccepted(), createRemoved())
      .when(request({ haveChatted: false }))
      .thenThrows('not_found');
  });

  describe('after a decline (A122)', () => {
    it('is hidden for a day', () => {
      given(createSent(), createDeclined())
        .when(request({ laterMs: DECLINE_COOL_DOWN_MS - 1 }))
        .then({ type: 'FriendRequestSent', data: { requestId: 9, isHidden: true } });
      given(createSent(), createDeclined())
        .when(request({ laterMs: DECLINE_COOL_DOWN_MS }))
        .then({ type: 'FriendRequestSent', data: { isHidden: false } });
    });

    it('in the other direction is visible at once', () => {
      given(createSent(), createDeclined())
        .when(request({ from: bob }))
        .then({ type: 'FriendRequestSent', data: { requesterId: bob, isHidden: false } });
    });

    it('stays hidden when repeated within the day, and is replaced by a visible one later', () => {
      const hidden = createSent({ requestId: 2, isHidden: true });
      given(createSent(), createDeclined(), hidden).when(request()).thenNothing();
      given(createSent(), createDeclined(), hidden)
        .when(request({ laterMs: DECLINE_COOL_DOWN_MS }))
        .then({ type: 'FriendRequestSent', data: { requestId: 9, isHidden: false } });
    });

    it('cannot be answered while hidden, but is accepted by a request of the addressee', () => {
      const hidden = createSent({ requestId: 2, isHidden: true });
      given(createSent(), createDeclined(), hidden)
        .when(answer('accepted', bob, 2))
        .thenThrows('not_found');
      given(createSent(), createDeclined(), hidden)
        .when(request({ from: bob }))
        .then({ type: 'FriendRequestAccepted', data: { requestId: 2 } });
    });
  });
});

describe('an answer to a friend request', () => {
  it('is accepted from the addressee only', () => {
    given(createSent())
      .when(answer('accepted'))
      .then({ type: 'FriendRequestAccepted', data: { requestId: 1 } });
    given(createSent())
      .when(answer('declined'))
      .then({ type: 'FriendRequestDeclined', data: { requestId: 1 } });
    given(createSent()).when(answer('accepted', ada)).thenThrows('not_found');
    given(createSent()).when(answer('accepted', 99)).thenThrows('not_found');
    given(createSent())
      .when(answer('accepted', bob, 2))
      .thenThrows('not_found');
  });

  it('can be repeated but not changed', () => {
    given(createSent(), createAccepted()).when(answer('accepted')).thenNothing();
    given(createSent(), createDeclined()).when(answer('declined')).thenNothing();
    given(createSent(), createAccepted()).when(answer('declined')).thenThrows('already_answered');
    given(createSent(), createDeclined()).when(answer('accepted')).thenThrows('already_answered');
  });

  it('to an old request does not restore a friendship', () => {
    given(createSent(), createAccepted(), createRemoved()).when(answer('accepted')).thenNothing();
    given(createSent(), createAccepted(), createRemoved(), createSent({ requestId: 2, from: bob }))
      .when(answer('accepted'))
      .thenNothing();
  });
});

describe('the removal of a friendship', () => {
  it('is open to both friends, and refused to others', () => {
    given(createSent(), createAccepted())
      .when(remove(bob))
      .then({ type: 'FriendshipRemoved', data: { removedBy: bob, removedFriendId: ada } });
    given(createSent()).when(remove()).thenThrows('not_found');
    given(createSent(), createAccepted(), createRemoved()).when(remove()).thenThrows('not_found');
  });
});

it('keeps both directions of a friendship in one stream', () => {
  expect(buildFriendshipStreamId(bob, ada)).toBe('friendship-3-7');
  expect(buildFriendshipStreamId(ada, bob)).toBe('friendship-3-7');
});

describe('a block of one of the two', () => {
  const separate: FriendshipCommand = {
    type: 'SeparateUsers',
    eventId: 'new',
    at: computeTime(1_000),
    blockerId: bob,
    blockedId: ada,
  };
  const createVoided = (): FriendshipEvent => ({
    type: 'FriendRequestVoided',
    eventId: 'voided',
    occurredAt: computeTime(0),
    data: { requestId: 1, requesterId: ada, addresseeId: bob },
  });

  it('ends the friendship, on behalf of the blocker', () => {
    given(createSent(), createAccepted())
      .when(separate)
      .then({ type: 'FriendshipRemoved', data: { removedBy: bob, removedFriendId: ada } });
  });

  it.each([
    ['the blocked user', createSent()],
    ['the blocker', createSent({ from: bob })],
    ['the blocked user, hidden after a decline', createSent({ isHidden: true })],
  ])('voids a pending request of %s', (_, request) => {
    given(request)
      .when(separate)
      .then({ type: 'FriendRequestVoided', data: { requestId: 1 } });
  });

  it('does not concern the end of a request for safety, which leaves a friendship as it is', () => {
    const voidRequest: FriendshipCommand = {
      type: 'VoidFriendRequest',
      eventId: 'new',
      at: computeTime(1_000),
    };
    given(createSent())
      .when(voidRequest)
      .then({ type: 'FriendRequestVoided', data: { requestId: 1 } });
    given(createSent(), createAccepted()).when(voidRequest).thenNothing();
    given().when(voidRequest).thenNothing();
  });

  it('changes nothing between users without friendship or request', () => {
    given().when(separate).thenNothing();
    given(createSent(), createDeclined()).when(separate).thenNothing();
    given(createSent(), createAccepted(), createRemoved()).when(separate).thenNothing();
    given(createSent(), createVoided()).when(separate).thenNothing();
  });

  it('leaves a voided request that cannot be answered, and that a new one does not accept', () => {
    given(createSent(), createVoided()).when(answer('accepted')).thenThrows('not_found');
    given(createSent(), createVoided())
      .when(request({ from: bob }))
      .then({ type: 'FriendRequestSent' });
  });
});
