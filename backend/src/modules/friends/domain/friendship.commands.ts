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
  /** Whether the two were in a chat together in the last 30 days, and none of these chats was ended for safety. */
  mayBecomeFriends: boolean;
};
export type AnswerFriendRequest = Command<'AnswerFriendRequest'> & {
  requestId: number;
  userId: number;
  answer: 'accepted' | 'declined';
};
export type RemoveFriend = Command<'RemoveFriend'> & { userId: number; friendId: number };
/** Ends the friendship or the pending request of two users: `userId` has blocked the other user, or is being erased. */
export type SeparateUsers = Command<'SeparateUsers'> & { userId: number; otherId: number };
/** Ends only the pending request of the two users of the stream, who must not become friends for reasons of safety. */
export type VoidFriendRequest = Command<'VoidFriendRequest'>;

export type FriendshipCommand =
  SendFriendRequest | AnswerFriendRequest | RemoveFriend | SeparateUsers | VoidFriendRequest;
