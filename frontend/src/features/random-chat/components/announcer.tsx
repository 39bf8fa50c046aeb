import { copy } from '@/features/random-chat/copy';
import { useRandomChat } from '@/features/random-chat/random-chat.store';

/** Reads the partner's newest message aloud: the virtual list itself must not be a live region. */
export const Announcer = () => {
  const text = useRandomChat(({ session }) => {
    const newest = session?.messages.at(-1);
    return session && newest?.senderId === session.partner.id
      ? copy.active.saysAloud(session.partner.username, newest.content)
      : '';
  });
  return (
    <p aria-live="polite" className="sr-only">
      {text}
    </p>
  );
};
