import { DomainError } from '../../../platform/errors/domain.errors';
import type { Decider } from '../../../platform/event-store/decider.types';
import type {
  AnswerFriendRequest,
  FriendshipCommand,
  RemoveFriend,
  SendFriendRequest,
  SeparateUsers,
  VoidFriendRequest,
} from './friendship.commands';
import type { FriendshipEvent, RequestData } from './friendship.events';
import {
  evolveFriendship,
  type FriendshipState,
  createFriendshipState,
  type FriendRequestState,
} from './friendship.state';

/**
 * After a decline, further requests of the requester are hidden from the addressee for this period
 * (docs/product-decisions.md, A122).
 */
export const DECLINE_COOL_DOWN_MS = 24 * 60 * 60_000;

/** @throws DomainError already_friends, already_answered, not_found */
const decide = (command: FriendshipCommand, state: FriendshipState): readonly FriendshipEvent[] => {
  switch (command.type) {
    case 'SendFriendRequest':
      return decideRequest(command, state);
    case 'AnswerFriendRequest':
      return decideAnswer(command, state);
    case 'RemoveFriend':
      return decideRemoval(command, state);
    case 'SeparateUsers':
      return decideSeparation(command, state);
    case 'VoidFriendRequest':
      return decideVoiding(command, state);
    default:
      return command satisfies never;
  }
};

/**
 * Refuses a request to oneself, or to a user without a recent chat, with the same code as a request to an unknown user
 * (docs/product-decisions.md, A120).
 */
const decideRequest = (command: SendFriendRequest, state: FriendshipState): readonly FriendshipEvent[] => {
  const { eventId, at, requestId, requesterId, addresseeId, mayBecomeFriends } = command;
  if (requesterId === addresseeId) throw new DomainError('not_found');
  if (state.areFriends) throw new DomainError('already_friends');
  const isHidden = isInCoolDown(state, requesterId, at);
  const { pendingRequest } = state;
  if (pendingRequest) {
    // The addressee has already sent a request to the requester: this one accepts it.
    if (pendingRequest.requesterId !== requesterId) return [createAcceptance(pendingRequest, eventId, at)];
    // A repeated request has no effect, unless the pending one is hidden and the cool-down is over.
    const replacesHidden = pendingRequest.isHidden && !isHidden;
    if (!replacesHidden) return [];
  }
  if (!mayBecomeFriends) throw new DomainError('not_found');
  return [
    {
      eventId,
      occurredAt: at,
      type: 'FriendRequestSent',
      data: { requestId, requesterId, addresseeId, isHidden },
    },
  ];
};

const decideAnswer = (
  { eventId, at, requestId, userId, answer }: AnswerFriendRequest,
  state: FriendshipState,
): readonly FriendshipEvent[] => {
  const request = state.requests.get(requestId);
  if (!request || request.addresseeId !== userId || !isVisibleToAddressee(request))
    throw new DomainError('not_found');
  if (request.status === answer) return [];
  if (request.status !== 'pending') throw new DomainError('already_answered');
  if (answer === 'accepted') return [createAcceptance(request, eventId, at)];
  return [{ eventId, occurredAt: at, type: 'FriendRequestDeclined', data: pickRequestData(request) }];
};

/** A hidden request is invisible until its addressee sends a request too, which accepts it. */
const isVisibleToAddressee = ({ isHidden, status }: FriendRequestState): boolean =>
  !isHidden || status !== 'pending';

const decideRemoval = (
  { eventId, at, userId, friendId }: Omit<RemoveFriend, 'type'>,
  state: FriendshipState,
): readonly FriendshipEvent[] => {
  if (!state.areFriends) throw new DomainError('not_found');
  return [
    {
      eventId,
      occurredAt: at,
      type: 'FriendshipRemoved',
      data: { removedBy: userId, removedFriendId: friendId },
    },
  ];
};

/** Ends the friendship or the pending request: friends have no pending request. */
const decideSeparation = (
  { eventId, at, userId, otherId }: SeparateUsers,
  state: FriendshipState,
): readonly FriendshipEvent[] =>
  state.areFriends
    ? decideRemoval({ eventId, at, userId, friendId: otherId }, state)
    : decideVoiding({ eventId, at }, state);

/** Ends the pending request without an answer, when a user is blocked or erased, or has written an age under 18. */
const decideVoiding = (
  { eventId, at }: Omit<VoidFriendRequest, 'type'>,
  { pendingRequest }: FriendshipState,
): readonly FriendshipEvent[] =>
  pendingRequest
    ? [{ eventId, occurredAt: at, type: 'FriendRequestVoided', data: pickRequestData(pendingRequest) }]
    : [];

const createAcceptance = (request: FriendRequestState, eventId: string, at: Date): FriendshipEvent => ({
  eventId,
  occurredAt: at,
  type: 'FriendRequestAccepted',
  data: pickRequestData(request),
});

const pickRequestData = ({ requestId, requesterId, addresseeId }: RequestData): RequestData => ({
  requestId,
  requesterId,
  addresseeId,
});

const isInCoolDown = (state: FriendshipState, requesterId: number, at: Date): boolean => {
  const declinedAt = state.declinedAt.get(requesterId);
  return declinedAt !== undefined && at.getTime() - declinedAt.getTime() < DECLINE_COOL_DOWN_MS;
};

export const friendshipDecider: Decider<FriendshipState, FriendshipCommand, FriendshipEvent> = {
  initialState: createFriendshipState,
  evolve: evolveFriendship,
  decide,
};
