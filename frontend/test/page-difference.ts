import { canBeReactedTo } from '@/chat-ui/chat-message';
import { readQuestionGame } from '@/features/random-chat/icebreaker/game';
import { type ChatPage } from './page';
import { type LoggedEvent, type ShownChat, computeShownChat } from './shown-chat';

/** Reads the chat that a page shows. */
const readShownChat = ({ state }: ChatPage): ShownChat => {
  // Leaves out notices and the rows of games, neither of which accepts reactions.
  const messages = (state.session?.messages ?? []).filter(canBeReactedTo).map((message) => ({
    id: message.id,
    senderId: message.senderId,
    content: message.content,
    isEdited: message.isEdited,
    repliesTo: message.replyTo?.messageId ?? null,
    reactions: Object.fromEntries(
      Object.entries(message.reactions).map(([emoji, { users }]) => [emoji, [...users]]),
    ),
  }));
  const games = (state.session?.messages ?? []).flatMap((message) => {
    const game = readQuestionGame(message);
    if (!game) return [];
    const { gameId, questionId, progress, userResponse, partnerResponse } = game;
    const isRevealed = progress === 'revealed';
    return [
      {
        gameId,
        questionId,
        progress,
        // The page shows the user's own answer before the reveal; `computeShownChat` yields it only afterwards.
        ownAnswer: isRevealed ? userResponse : null,
        partnerAnswer: isRevealed ? partnerResponse : null,
      },
    ];
  });
  return { messages, games };
};

/** Compares a page with the events of its chat. @returns the first difference, or null */
export const findDifference = (page: ChatPage, events: readonly LoggedEvent[]): string | null => {
  const { session, phase } = page.state;
  if (page.violations.length > 0) return page.violations.join(', ');
  if (!page.isConnected) return 'it is not connected';
  if (phase !== 'active' || !session) return `its phase is ${phase}`;
  if (session.seq !== events.length) return `it has seen ${session.seq} of ${events.length} events`;
  const [unsent] = page.outgoing;
  if (unsent) return `a message is ${unsent.state}`;
  if (Object.keys(session.unconfirmedMessages).length > 0) return 'a change is not confirmed';
  const shown = JSON.stringify(readShownChat(page));
  const expected = JSON.stringify(computeShownChat(events, page.id));
  return shown === expected ? null : `it shows\n${shown}\nand should show\n${expected}`;
};
