interface RecordedEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

/** The id of a request and its two users. */
export interface RequestData {
  requestId: number;
  requesterId: number;
  addresseeId: number;
}

/** `isHidden`: the request was sent during the cool-down after a decline, so the addressee never sees it. */
export type FriendRequestSent = RecordedEvent<'FriendRequestSent', RequestData & { isHidden: boolean }>;
/** The addressee has accepted the request by an answer, or by sending a request to the requester. */
export type FriendRequestAccepted = RecordedEvent<'FriendRequestAccepted', RequestData>;
export type FriendRequestDeclined = RecordedEvent<'FriendRequestDeclined', RequestData>;
/**
 * The server has ended a pending request: one of the two has blocked the other, has written that they are under 18, or
 * is being erased.
 */
export type FriendRequestVoided = RecordedEvent<'FriendRequestVoided', RequestData>;
/** `removedBy` has ended the friendship, by a removal or a block or because they are being erased. */
export type FriendshipRemoved = RecordedEvent<
  'FriendshipRemoved',
  { removedBy: number; removedFriendId: number }
>;

/** All events between two users, in the stream `friendship-<lower id>-<higher id>`. */
export type FriendshipEvent =
  FriendRequestSent | FriendRequestAccepted | FriendRequestDeclined | FriendRequestVoided | FriendshipRemoved;

export const buildFriendshipStreamId = (userId: number, otherId: number): string =>
  `friendship-${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`;
