import { useAttention } from '@/features/attention/use-attention';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';

export interface AttentionProps {
  /** Number of unread messages from friends. */
  unreadCount: number;
  /** Name of the friend whose private chat is open. */
  friendName: string | undefined;
  /** Number of friend requests received, and of own requests accepted, since the page was opened. */
  friendNewsCount: number;
}

/** Renders nothing. Updates the tab's title and icon and plays sounds, for random and private chats. */
export const Attention = ({ unreadCount, friendName, friendNewsCount }: AttentionProps) => {
  const phase = useRandomChat((state) => state.phase);
  const partnerName = useRandomChat(({ session }) => session?.partner.username);
  const partnerMessageCount = useRandomChat(
    ({ session }) => session?.messages.filter(({ senderId }) => senderId === session.partner.id).length ?? 0,
  );
  useAttention({
    phase,
    partnerName,
    friendName,
    unreadFriendMessageCount: unreadCount,
    partnerMessageCount,
    friendNewsCount,
  });
  return null;
};
