import { createGiven } from '../../../testing/given.fixture';
import { DECLINE_COOL_DOWN_MS, friendshipDecider } from './friendship.decider';
import type { FriendshipCommand, SendFriendRequest } from './friendship.commands';
import { type FriendshipEvent, buildFriendshipStreamId } from './friendship.events';

const ada = 3;
const bob = 7;
const eve = 99;
/** The id of a request that the command under test creates. */
const NEW_REQUEST_ID = 9;
/** All past events occur at this time. */
const historyTime = new Date(Date.UTC(2026, 10, 20));
/** The time of a command: a second after the past events, unless a test sets another delay. */
const computeCommandTime = (delayMs = 1_000): Date => new Date(historyTime.getTime() + delayMs);
/** The other user of Ada and Bob. */
const getOther = (userId: number): number => (userId === ada ? bob : ada);

const given = createGiven(friendshipDecider);

/** By default: Ada's request to Bob, with the id 1. A hidden request is not shown to the addressee. */
const createSentEvent = (
  options: { requestId?: number; requesterId?: number; isHidden?: boolean } = {},
): FriendshipEvent => {
  const { requestId = 1, requesterId = ada, isHidden = false } = options;
  return {
    type: 'FriendRequestSent',
    eventId: `sent ${requestId}`,
    occurredAt: historyTime,
    data: { requestId, requesterId, addresseeId: getOther(requesterId), isHidden },
  };
};
/** An event about the request of `createSentEvent()`. */
const createRequestEvent = (
  type: 'FriendRequestAccepted' | 'FriendRequestDeclined' | 'FriendRequestVoided',
): FriendshipEvent => ({
  type,
  eventId: type,
  occurredAt: historyTime,
  data: { requestId: 1, requesterId: ada, addresseeId: bob },
});
const sentEvent = createSentEvent();
const acceptedEvent = createRequestEvent('FriendRequestAccepted');
const declinedEvent = createRequestEvent('FriendRequestDeclined');
const voidedEvent = createRequestEvent('FriendRequestVoided');
const removedEvent: FriendshipEvent = {
  type: 'FriendshipRemoved',
  eventId: 'removed',
  occurredAt: historyTime,
  data: { removedBy: ada, removedFriendId: bob },
};

/** By default: Ada's request to Bob. `mayBecomeFriends`: whether the two have chatted in the last 30 days. */
const createSendCommand = (
  options: { requesterId?: number; mayBecomeFriends?: boolean; delayMs?: number } = {},
): SendFriendRequest => {
  const { requesterId = ada, mayBecomeFriends = true, delayMs } = options;
  return {
    type: 'SendFriendRequest',
    eventId: 'new',
    at: computeCommandTime(delayMs),
    requestId: NEW_REQUEST_ID,
    requesterId,
    addresseeId: getOther(requesterId),
    mayBecomeFriends,
  };
};
/** By default: Bob's answer to the request of `createSentEvent()`. */
const createAnswerCommand = (
  answer: 'accepted' | 'declined',
  { userId = bob, requestId = 1 } = {},
): FriendshipCommand => ({
  type: 'AnswerFriendRequest',
  eventId: 'new',
  at: computeCommandTime(),
  requestId,
  userId,
  answer,
});
const createRemoveCommand = (userId: number): FriendshipCommand => ({
  type: 'RemoveFriend',
  eventId: 'new',
  at: computeCommandTime(),
  userId,
  friendId: getOther(userId),
});

describe('a friend request', () => {
  it('is sent to a user with whom the requester has recently chatted', () => {
    given()
      .when(createSendCommand())
      .then({
        type: 'FriendRequestSent',
        data: { requestId: NEW_REQUEST_ID, requesterId: ada, addresseeId: bob, isHidden: false },
      });
  });

  it('to a user with whom the requester has not recently chatted is refused with not_found', () => {
    given()
      .when(createSendCommand({ mayBecomeFriends: false }))
      .thenThrows('not_found');
  });

  it('to oneself is refused with not_found', () => {
    given()
      .when({ ...createSendCommand(), addresseeId: ada })
      .thenThrows('not_found');
  });

  it('that is repeated changes nothing, even if the two have not recently chatted', () => {
    given(sentEvent)
      .when(createSendCommand({ mayBecomeFriends: false }))
      .thenNothing();
  });

  it('to a user who has already sent one is an acceptance, even if the two have not recently chatted', () => {
    given(sentEvent)
      .when(createSendCommand({ requesterId: bob, mayBecomeFriends: false }))
      .then({ type: 'FriendRequestAccepted', data: { requestId: 1, requesterId: ada, addresseeId: bob } });
  });

  it.each([ada, bob])('of user %s to a friend is refused with already_friends', (requesterId) => {
    given(sentEvent, acceptedEvent).when(createSendCommand({ requesterId })).thenThrows('already_friends');
  });

  describe('after the end of a friendship', () => {
    it('is sent if the two have recently chatted', () => {
      given(sentEvent, acceptedEvent, removedEvent)
        .when(createSendCommand())
        .then({ type: 'FriendRequestSent', data: { isHidden: false } });
    });

    it('is refused with not_found if the two have not recently chatted', () => {
      given(sentEvent, acceptedEvent, removedEvent)
        .when(createSendCommand({ mayBecomeFriends: false }))
        .thenThrows('not_found');
    });
  });

  describe('after a decline', () => {
    const hiddenEvent = createSentEvent({ requestId: 2, isHidden: true });

    it('is hidden during the cool-down of a day', () => {
      given(sentEvent, declinedEvent)
        .when(createSendCommand({ delayMs: DECLINE_COOL_DOWN_MS - 1 }))
        .then({ type: 'FriendRequestSent', data: { requestId: NEW_REQUEST_ID, isHidden: true } });
    });

    it('is visible after the cool-down', () => {
      given(sentEvent, declinedEvent)
        .when(createSendCommand({ delayMs: DECLINE_COOL_DOWN_MS }))
        .then({ type: 'FriendRequestSent', data: { isHidden: false } });
    });

    it('in the other direction is visible at once', () => {
      given(sentEvent, declinedEvent)
        .when(createSendCommand({ requesterId: bob }))
        .then({ type: 'FriendRequestSent', data: { requesterId: bob, isHidden: false } });
    });

    it('that is hidden stays hidden when it is repeated during the cool-down', () => {
      given(sentEvent, declinedEvent, hiddenEvent).when(createSendCommand()).thenNothing();
    });

    it('that is hidden is replaced by a visible one when it is repeated after the cool-down', () => {
      given(sentEvent, declinedEvent, hiddenEvent)
        .when(createSendCommand({ delayMs: DECLINE_COOL_DOWN_MS }))
        .then({ type: 'FriendRequestSent', data: { requestId: NEW_REQUEST_ID, isHidden: false } });
    });

    it('that is hidden cannot be answered', () => {
      given(sentEvent, declinedEvent, hiddenEvent)
        .when(createAnswerCommand('accepted', { requestId: 2 }))
        .thenThrows('not_found');
    });

    it('that is hidden is accepted when the addressee sends a request to the requester', () => {
      given(sentEvent, declinedEvent, hiddenEvent)
        .when(createSendCommand({ requesterId: bob }))
        .then({ type: 'FriendRequestAccepted', data: { requestId: 2 } });
    });
  });
});

describe('an answer to a friend request', () => {
  it('accepts the request', () => {
    given(sentEvent)
      .when(createAnswerCommand('accepted'))
      .then({ type: 'FriendRequestAccepted', data: { requestId: 1 } });
  });

  it('declines the request', () => {
    given(sentEvent)
      .when(createAnswerCommand('declined'))
      .then({ type: 'FriendRequestDeclined', data: { requestId: 1 } });
  });

  it.each<[string, { userId?: number; requestId?: number }]>([
    ['by the requester', { userId: ada }],
    ['by a third user', { userId: eve }],
    ['to an unknown request', { requestId: 2 }],
  ])('%s is refused with not_found', (_case, options) => {
    given(sentEvent).when(createAnswerCommand('accepted', options)).thenThrows('not_found');
  });

  it('that is repeated changes nothing', () => {
    given(sentEvent, acceptedEvent).when(createAnswerCommand('accepted')).thenNothing();
    given(sentEvent, declinedEvent).when(createAnswerCommand('declined')).thenNothing();
  });

  it('that differs from an earlier answer is refused with already_answered', () => {
    given(sentEvent, acceptedEvent).when(createAnswerCommand('declined')).thenThrows('already_answered');
    given(sentEvent, declinedEvent).when(createAnswerCommand('accepted')).thenThrows('already_answered');
  });

  it('that is repeated does not restore an ended friendship, even while a new request is pending', () => {
    given(sentEvent, acceptedEvent, removedEvent).when(createAnswerCommand('accepted')).thenNothing();
    given(sentEvent, acceptedEvent, removedEvent, createSentEvent({ requestId: 2, requesterId: bob }))
      .when(createAnswerCommand('accepted'))
      .thenNothing();
  });
});

describe('the removal of a friendship', () => {
  it.each([ada, bob])('is possible for user %s, one of the two friends', (userId) => {
    given(sentEvent, acceptedEvent)
      .when(createRemoveCommand(userId))
      .then({ type: 'FriendshipRemoved', data: { removedBy: userId, removedFriendId: getOther(userId) } });
  });

  it('is refused with not_found between users who are not friends', () => {
    given(sentEvent).when(createRemoveCommand(ada)).thenThrows('not_found');
    given(sentEvent, acceptedEvent, removedEvent).when(createRemoveCommand(ada)).thenThrows('not_found');
  });
});

it('the stream id of a friendship does not depend on the order of the two users', () => {
  expect(buildFriendshipStreamId(bob, ada)).toBe('friendship-3-7');
  expect(buildFriendshipStreamId(ada, bob)).toBe('friendship-3-7');
});

describe('a block between the two users', () => {
  const blockByBob: FriendshipCommand = {
    type: 'SeparateUsers',
    eventId: 'new',
    at: computeCommandTime(),
    userId: bob,
    otherId: ada,
  };

  it('ends the friendship, on behalf of the blocker', () => {
    given(sentEvent, acceptedEvent)
      .when(blockByBob)
      .then({ type: 'FriendshipRemoved', data: { removedBy: bob, removedFriendId: ada } });
  });

  it.each([
    ['request of the blocked user', sentEvent],
    ['request of the blocker', createSentEvent({ requesterId: bob })],
    ['hidden request of the blocked user', createSentEvent({ isHidden: true })],
  ])('voids a pending %s', (_case, requestEvent) => {
    given(requestEvent)
      .when(blockByBob)
      .then({ type: 'FriendRequestVoided', data: { requestId: 1 } });
  });

  it('changes nothing between users without friendship or request', () => {
    given().when(blockByBob).thenNothing();
    given(sentEvent, declinedEvent).when(blockByBob).thenNothing();
    given(sentEvent, acceptedEvent, removedEvent).when(blockByBob).thenNothing();
    given(sentEvent, voidedEvent).when(blockByBob).thenNothing();
  });

  it('voids a request permanently: an answer does not accept it', () => {
    given(sentEvent, voidedEvent).when(createAnswerCommand('accepted')).thenThrows('not_found');
  });

  it('voids a request permanently: a request of the addressee is a new one and does not accept it', () => {
    given(sentEvent, voidedEvent)
      .when(createSendCommand({ requesterId: bob }))
      .then({ type: 'FriendRequestSent' });
  });
});

describe('the voiding of a request for reasons of safety', () => {
  const voidCommand: FriendshipCommand = {
    type: 'VoidFriendRequest',
    eventId: 'new',
    at: computeCommandTime(),
  };

  it('ends a pending request without an answer', () => {
    given(sentEvent)
      .when(voidCommand)
      .then({ type: 'FriendRequestVoided', data: { requestId: 1 } });
  });

  it('changes nothing between friends, and between users without a request', () => {
    given(sentEvent, acceptedEvent).when(voidCommand).thenNothing();
    given().when(voidCommand).thenNothing();
  });
});
