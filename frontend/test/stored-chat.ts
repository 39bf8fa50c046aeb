/** An event in the hot log. */
export interface LoggedEvent {
  /** Id of the stream entry. */
  id: string;
  eventId: string;
  type: string;
  data: Record<string, unknown>;
}

export interface ShownMessage {
  id: string;
  senderId: unknown;
  content: unknown;
  isEdited: boolean;
  repliesTo: unknown;
  reactions: Record<string, number[]>;
}

export interface ShownGame {
  gameId: unknown;
  questionId: unknown;
  progress: string;
  mine: unknown;
  theirs: unknown;
}

export interface ShownChat {
  messages: ShownMessage[];
  games: ShownGame[];
}

/**
 * Computes what a participant should see of a chat's events. Written independently of the product's state, to verify
 * it.
 */
export const computeShownChat = (events: readonly LoggedEvent[], viewer: number): ShownChat => {
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
        const others = (message.reactions[emoji] ?? []).filter((other) => other !== userId);
        const users = type === 'ReactionAdded' ? [...others, userId] : others;
        if (users.length > 0) message.reactions[emoji] = users;
        else delete message.reactions[emoji];
        break;
      }
      case 'GameStarted': {
        const { gameId, questionId } = data;
        games.set(gameId, { gameId, questionId, progress: 'open', mine: null, theirs: null });
        break;
      }
      case 'GameAnswered':
        if (game && data.userId === viewer) game.progress = 'answered';
        break;
      case 'GameRevealed':
        if (game) {
          const answers = data.answers as { userId: number; response: string }[];
          const findAnswer = (isMine: boolean) =>
            answers.find(({ userId }) => (userId === viewer) === isMine)?.response;
          Object.assign(game, { progress: 'revealed', mine: findAnswer(true), theirs: findAnswer(false) });
        }
        break;
      case 'GameIgnored':
        if (game) game.progress = 'ignored';
    }
  }
  return { messages: [...messages.values()], games: [...games.values()] };
};
