import type { FriendRequestStatus } from '@thaw/contract/friends';
import type { FriendshipEvent, RequestData } from './friendship.events';

export interface FriendRequestState extends RequestData {
  status: FriendRequestStatus;
  isHidden: boolean;
  createdAt: Date;
}

export interface FriendshipState {
  areFriends: boolean;
  /** All requests between the two, by id, except those withdrawn because of a block. */
  requests: ReadonlyMap<number, FriendRequestState>;
  /** The unanswered request. */
  pending: FriendRequestState | null;
  /** When the last declined request of a user was declined, by the id of its sender. */
  declinedAt: ReadonlyMap<number, Date>;
}

export const createFriendshipState = (): FriendshipState => ({
  areFriends: false,
  requests: new Map(),
  pending: null,
  declinedAt: new Map(),
});

const answerRequest = (
  state: FriendshipState,
  requestId: number,
  status: 'accepted' | 'declined',
): FriendshipState => {
  const request = state.requests.get(requestId);
  const requests = request ? new Map(state.requests).set(requestId, { ...request, status }) : state.requests;
  return { ...state, requests, pending: null };
};

export const evolveFriendship = (state: FriendshipState, event: FriendshipEvent): FriendshipState => {
  switch (event.type) {
    case 'FriendRequestSent': {
      const pending: FriendRequestState = { ...event.data, status: 'pending', createdAt: event.occurredAt };
      return { ...state, pending, requests: new Map(state.requests).set(pending.requestId, pending) };
    }
    case 'FriendRequestAccepted':
      return { ...answerRequest(state, event.data.requestId, 'accepted'), areFriends: true };
    case 'FriendRequestDeclined': {
      const { requestId, requesterId } = event.data;
      const declinedAt = new Map(state.declinedAt).set(requesterId, event.occurredAt);
      return { ...answerRequest(state, requestId, 'declined'), declinedAt };
    }
    case 'FriendRequestVoided': {
      const requests = new Map(state.requests);
      requests.delete(event.data.requestId);
      return { ...state, requests, pending: null };
    }
    case 'FriendshipRemoved':
      return { ...state, areFriends: false };
    default:
      return event satisfies never;
  }
};
