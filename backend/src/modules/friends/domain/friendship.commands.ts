interface Command<Type extends string> {
  type: Type;
  /** Uuid of the event that this command may lead to. */
  eventId: string;
  at: Date;
}

export type SendFriendRequest = Command<'SendFriendRequest'> & {
  /** The number of the request, if it comes to a new one. */
  requestId: number;
  requesterId: number;
  addresseeId: number;
  /** Whether the two have been in a chat together lately (A120). */
  haveChatted: boolean;
};
export type AnswerFriendRequest = Command<'AnswerFriendRequest'> & {
  requestId: number;
  userId: number;
  answer: 'accepted' | 'declined';
};
export type RemoveFriend = Command<'RemoveFriend'> & { userId: number; friendId: number };

export type FriendshipCommand = SendFriendRequest | AnswerFriendRequest | RemoveFriend;
