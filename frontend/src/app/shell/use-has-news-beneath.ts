import { useState } from 'react';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';

/** Whether the random chat beneath a private chat has changed since the private chat was opened. */
export const useHasNewsBeneath = (): boolean => {
  const phase = useRandomChat((state) => state.phase);
  const lastPartnerMessageKey = useRandomChat(
    ({ session }) => session?.messages.findLast(({ senderId }) => senderId === session.partner.id)?.key,
  );
  const [initial] = useState({ phase, lastPartnerMessageKey });
  return phase !== initial.phase || lastPartnerMessageKey !== initial.lastPartnerMessageKey;
};
