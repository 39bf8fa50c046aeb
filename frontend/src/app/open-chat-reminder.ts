import { type RandomChatStore } from '@/features/random-chat/stores/random-chat.store';
import { useOpenChat } from '@/product/open-chat';

const countPartnerMessages = ({ session }: RandomChatStore): number =>
  session?.messages.filter(({ senderId }) => senderId === session.partner.id).length ?? 0;

/**
 * Creates a listener of the random-chat store. It writes the open chat, with the number of new messages, to
 * `useOpenChat`, which pages other than /chat read.
 * @param isChatShown whether the page shows the chat now, so that the user reads what arrives
 */
export const createOpenChatReminder = (isChatShown: () => boolean) => {
  let sessionId: string | undefined;
  let isFirstLoad = false;
  let readCount = 0;
  return (state: RandomChatStore): void => {
    const session = state.phase === 'active' ? state.session : null;
    const count = countPartnerMessages(state);
    if (isChatShown()) readCount = count;
    // The messages that a chat already has when the page loads are not new. All later ones are, even if they were
    // missed during a lost connection.
    if (session && session.sessionId !== sessionId) isFirstLoad = true;
    if (session && isFirstLoad) {
      readCount = count;
      isFirstLoad = session.isResyncing; // true until the last part has arrived; false for a new match
    }
    sessionId = session?.sessionId;
    const chat = session && {
      partnerName: session.partner.username,
      unread: Math.max(0, count - readCount),
    };
    const { chat: shownChat } = useOpenChat.getState();
    if (chat?.partnerName !== shownChat?.partnerName || chat?.unread !== shownChat?.unread)
      useOpenChat.setState({ chat });
  };
};
