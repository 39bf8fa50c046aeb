interface RecordedEvent<Type extends string, Data extends object> {
  type: Type;
  eventId: string;
  occurredAt: Date;
  data: Data;
}

/** Who asks whom, and under which number. */
export interface RequestData {
  requestId: number;
  requesterId: number;
  addresseeId: number;
}

/** `isHidden`: it came so soon after a refusal that the addressee never sees it (A122). */
export type FriendRequestSent = RecordedEvent<'FriendRequestSent', RequestData & { isHidden: boolean }>;
/** By the addressee's answer, or by a request of his own. */
export type FriendRequestAccepted = RecordedEvent<'FriendRequestAccepted', RequestData>;
export type FriendRequestDeclined = RecordedEvent<'FriendRequestDeclined', RequestData>;
export type FriendshipRemoved = RecordedEvent<
  'FriendshipRemoved',
  { removedBy: number; removedFriendId: number }
>;

/** What is between two people, in the stream `friendship-<lower id>-<higher id>`. */
export type FriendshipEvent =
  FriendRequestSent | FriendRequestAccepted | FriendRequestDeclined | FriendshipRemoved;

export const friendshipStream = (userId: number, otherId: number): string =>
  `friendship-${Math.min(userId, otherId)}-${Math.max(userId, otherId)}`;
