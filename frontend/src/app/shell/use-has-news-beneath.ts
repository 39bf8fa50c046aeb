import { useState } from 'react';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';

/** Whether the random chat has changed since a private chat was opened over it (A67). */
export const useHasNewsBeneath = (): boolean => {
  const phase = useRandomChat((state) => state.phase);
  const lastPartnerKey = useRandomChat(
    ({ session }) => session?.messages.findLast(({ senderId }) => senderId === session.partner.id)?.key,
  );
  const [initial] = useState({ phase, lastPartnerKey });
  return phase !== initial.phase || lastPartnerKey !== initial.lastPartnerKey;
};
