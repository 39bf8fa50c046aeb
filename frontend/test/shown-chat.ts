/** An event of a chat, as its Redis stream stores it. */
export interface LoggedEvent {
  /** Id of the stream entry. That of a `MessageSent` event is also the id of the message. */
  id: string;
  eventId: string;
  type: string;
  data: Record<string, unknown>;
}

/** A message as a page shows it. Here and below, fields copied from event data are `unknown`: it is not validated. */
export interface ShownMessage {
  id: string;
  senderId: unknown;
  content: unknown;
  isEdited: boolean;
  /** Id of the message to which this one replies, or null. */
  repliesTo: unknown;
  /** Ids of the users by emoji. */
  reactions: Record<string, number[]>;
}

/** A game of Break the Ice as a page shows it: both users answer a question, then the answers are revealed. */
export interface ShownGame {
  gameId: unknown;
  questionId: unknown;
  /** `open`, `answered`, `revealed` or `ignored`. */
  progress: string;
  /** The answers; null until the game is revealed. */
  ownAnswer: unknown;
  partnerAnswer: unknown;
}

export interface ShownChat {
  messages: ShownMessage[];
  games: ShownGame[];
}

/**
 * Computes the chat that a participant's page should show, from all events of the chat. It uses none of the page's
 * code, so a test can compare the page with the result.
 * @param viewerId  the participant's user id
 */
export const computeShownChat = (events: readonly LoggedEvent[], viewerId: number): ShownChat => {
  const messages = new Map<unknown, ShownMessage>();
  const games = new Map<unknown, ShownGame>();
  for (const { id, type, data } of events) {
    const message = messages.get(data.messageId);
    const game = games.get(data.gameId);
    switch (type) {
      case 'MessageSent': {
        const { senderId, content } = data;
        const repliesTo = (data.replyTo as { messageId: string } | null)?.messageId ?? null;
        messages.set(id, { id, senderId, content, isEdited: false, repliesTo, reactions: {} });
        break;
      }
      case 'MessageEdited':
        if (message) Object.assign(message, { content: data.content, isEdited: true });
        break;
      case 'ReactionAdded':
      case 'ReactionRemoved': {
        if (!message) break;
        const [emoji, userId] = [String(data.emoji), Number(data.userId)];
        const otherUsers = (message.reactions[emoji] ?? []).filter((otherId) => otherId !== userId);
        const users = type === 'ReactionAdded' ? [...otherUsers, userId] : otherUsers;
        if (users.length > 0) message.reactions[emoji] = users;
        else delete message.reactions[emoji];
        break;
      }
      case 'GameStarted': {
        const { gameId, questionId } = data;
        games.set(gameId, { gameId, questionId, progress: 'open', ownAnswer: null, partnerAnswer: null });
        break;
      }
      case 'GameAnswered':
        // Before the reveal, the page does not show that the partner has answered.
        if (game && data.userId === viewerId) game.progress = 'answered';
        break;
      case 'GameRevealed':
        if (game) {
          const answers = data.answers as { userId: number; response: string }[];
          Object.assign(game, {
            progress: 'revealed',
            ownAnswer: answers.find(({ userId }) => userId === viewerId)?.response,
            partnerAnswer: answers.find(({ userId }) => userId !== viewerId)?.response,
          });
        }
        break;
      case 'GameIgnored':
        if (game) game.progress = 'ignored';
    }
  }
  return { messages: [...messages.values()], games: [...games.values()] };
};
