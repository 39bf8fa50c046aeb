interface RecordedEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

/** The two sides and the id of a request. */
export interface RequestData {
  requestId: number;
  requesterId: number;
  addresseeId: number;
}

/** `isHidden`: sent during the cool-down after a decline, so the addressee never sees it (A122). */
export type FriendRequestSent = RecordedEvent<'FriendRequestSent', RequestData & { isHidden: boolean }>;
/** Accepted by the addressee's answer, or by the addressee sending a request too. */
export type FriendRequestAccepted = RecordedEvent<'FriendRequestAccepted', RequestData>;
export type FriendRequestDeclined = RecordedEvent<'FriendRequestDeclined', RequestData>;
/** A pending request was withdrawn, because one of the two has blocked the other. */
export type FriendRequestVoided = RecordedEvent<'FriendRequestVoided', RequestData>;
export type FriendshipRemoved = RecordedEvent<
  'FriendshipRemoved',
  { removedBy: number; removedFriendId: number }
>;

/** All events between two users, in the stream `friendship-<lower id>-<higher id>`. */
export type FriendshipEvent =
  FriendRequestSent | FriendRequestAccepted | FriendRequestDeclined | FriendRequestVoided | FriendshipRemoved;

export const buildFriendshipStreamId = (userId: number, otherId: number): string =>
  `friendship-${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`;
