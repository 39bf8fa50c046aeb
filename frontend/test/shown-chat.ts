/** An event of a chat, as its Redis stream stores it. */
export interface LoggedEvent {
  /** Id of the stream entry. For a `MessageSent` event, it is also the id of the message. */
  id: string;
  eventId: string;
  type: string;
  /** Not validated, so the fields that are copied from it below are `unknown`. */
  data: Record<string, unknown>;
}

/** A message as a page shows it. */
export interface ShownMessage {
  id: string;
  senderId: unknown;
  content: unknown;
  isEdited: boolean;
  /** Id of the message to which this one replies, or null. */
  repliesTo: unknown;
  /** For each emoji, the ids of the users who reacted with it, in the order of their reactions. */
  reactions: Record<string, number[]>;
}

/** A game of Break the Ice as a page shows it: both users answer a question, then the answers are revealed. */
export interface ShownGame {
  gameId: unknown;
  questionId: unknown;
  /** `open`, `answered` (by the viewer), `revealed` or `ignored`. */
  progress: string;
  /** Null until the game is revealed. */
  ownAnswer: unknown;
  /** Null until the game is revealed. */
  partnerAnswer: unknown;
}

export interface ShownChat {
  messages: ShownMessage[];
  games: ShownGame[];
}

const applyReaction = ({ reactions }: ShownMessage, { type, data }: LoggedEvent): void => {
  const emoji = String(data.emoji);
  const userId = Number(data.userId);
  const users = (reactions[emoji] ?? []).filter((otherId) => otherId !== userId);
  if (type === 'ReactionAdded') users.push(userId);
  if (users.length > 0) reactions[emoji] = users;
  else delete reactions[emoji];
};

/**
 * Computes the chat that a participant's page should show, from all events of the chat. Shares no code with the
 * page, so that a test can compare the two.
 * @param viewerId  the participant's user id
 */
export const computeShownChat = (events: readonly LoggedEvent[], viewerId: number): ShownChat => {
  const messages = new Map<unknown, ShownMessage>();
  const games = new Map<unknown, ShownGame>();
  for (const event of events) {
    const { id, type, data } = event;
    // The message or the game that the event changes, if there is one.
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
      case 'ReactionRemoved':
        if (message) applyReaction(message, event);
        break;
      case 'GameStarted': {
        const { gameId, questionId } = data;
        games.set(gameId, { gameId, questionId, progress: 'open', ownAnswer: null, partnerAnswer: null });
        break;
      }
      case 'GameAnswered':
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
