interface Command<Type extends string> {
  type: Type;
  /** UUID of the event that results from this command, if any. */
  eventId: string;
  at: Date;
}

export type SendFriendRequest = Command<'SendFriendRequest'> & {
  /** The id of the new request, if the command creates one. */
  requestId: number;
  requesterId: number;
  addresseeId: number;
  /** Whether the two have been in a chat together in the last 30 days, unless such a chat was ended for safety. */
  haveChatted: boolean;
};
export type AnswerFriendRequest = Command<'AnswerFriendRequest'> & {
  requestId: number;
  userId: number;
  answer: 'accepted' | 'declined';
};
export type RemoveFriend = Command<'RemoveFriend'> & { userId: number; friendId: number };
/** Ends the friendship or the pending request of two users: one has blocked the other, or is being erased. */
export type SeparateUsers = Command<'SeparateUsers'> & { blockerId: number; blockedId: number };

/** Voids the pending request of two users, in either direction. */
export type VoidFriendRequest = Command<'VoidFriendRequest'>;

export type FriendshipCommand =
  SendFriendRequest | AnswerFriendRequest | RemoveFriend | SeparateUsers | VoidFriendRequest;
