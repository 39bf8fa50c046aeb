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
    if (session && session.sessionId !== sessionId) isFirstLoad = true;
    if (isChatShown()) readCount = count;
    if (session && isFirstLoad) {
      // The messages that a chat already has when the page loads are not new. They arrive in parts, and `isResyncing`
      // is true until the last part. For a new match it is false: there are no messages yet. Messages that arrive after
      // the first load are new, even if they were missed during a lost connection.
      readCount = count;
      isFirstLoad = session.isResyncing;
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
