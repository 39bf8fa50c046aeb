import { useAttention } from '@/features/attention/use-attention';
import { useRandomChat } from '@/features/random-chat/random-chat.store';

/** Draws nothing: the tab's title, icon and sound follow both kinds of chat. */
export const Attention = ({ unread, friendName }: { unread: number; friendName: string | undefined }) => {
  const phase = useRandomChat((state) => state.phase);
  const partnerName = useRandomChat(({ session }) => session?.partner.username);
  const partnerMessages = useRandomChat(
    ({ session }) => session?.messages.filter(({ senderId }) => senderId === session.partner.id).length ?? 0,
  );
  useAttention({ phase, partnerName, friendName, unread, partnerMessages });
  return null;
};
