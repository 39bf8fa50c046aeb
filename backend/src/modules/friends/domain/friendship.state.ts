import type { FriendRequestStatus } from '@thaw/contract/friends';
import type { FriendshipEvent, RequestData } from './friendship.events';

export interface FriendRequestState extends RequestData {
  status: FriendRequestStatus;
  /** Whether the request was sent during the cool-down after a decline, so that the addressee does not see it. */
  isHidden: boolean;
  createdAt: Date;
}

export interface FriendshipState {
  areFriends: boolean;
  /** All requests between the two users, by id, except those that the server has voided, for example after a block. */
  requests: ReadonlyMap<number, FriendRequestState>;
  /** The unanswered request, if any. */
  pendingRequest: FriendRequestState | null;
  /** When the last declined request of each requester was declined, by the id of the requester. */
  declinedAt: ReadonlyMap<number, Date>;
}

export const createFriendshipState = (): FriendshipState => ({
  areFriends: false,
  requests: new Map(),
  pendingRequest: null,
  declinedAt: new Map(),
});

/** Sets the status of an answered request, which is then no longer pending. */
const applyAnswer = (
  state: FriendshipState,
  requestId: number,
  status: 'accepted' | 'declined',
): FriendshipState => {
  const request = state.requests.get(requestId);
  if (!request) return { ...state, pendingRequest: null };
  const requests = new Map(state.requests).set(requestId, { ...request, status });
  return { ...state, requests, pendingRequest: null };
};

export const evolveFriendship = (state: FriendshipState, event: FriendshipEvent): FriendshipState => {
  switch (event.type) {
    case 'FriendRequestSent': {
      const request: FriendRequestState = { ...event.data, status: 'pending', createdAt: event.occurredAt };
      const requests = new Map(state.requests).set(request.requestId, request);
      return { ...state, requests, pendingRequest: request };
    }
    case 'FriendRequestAccepted':
      return { ...applyAnswer(state, event.data.requestId, 'accepted'), areFriends: true };
    case 'FriendRequestDeclined': {
      const { requestId, requesterId } = event.data;
      const declinedAt = new Map(state.declinedAt).set(requesterId, event.occurredAt);
      return { ...applyAnswer(state, requestId, 'declined'), declinedAt };
    }
    case 'FriendRequestVoided': {
      const requests = new Map(state.requests);
      requests.delete(event.data.requestId);
      return { ...state, requests, pendingRequest: null };
    }
    case 'FriendshipRemoved':
      return { ...state, areFriends: false };
    default:
      return event satisfies never;
  }
};
