import { copy } from '@/features/random-chat/copy';
import { useRandomChat } from '@/features/random-chat/random-chat.store';

/**
 * Reads the partner's newest message aloud: the virtual list itself must not be a live region, for its recycled rows
 * would be read again. The words are generated content, so that they stand in the page only once.
 */
export const Announcer = () => {
  const partner = useRandomChat(({ session }) => session?.partner);
  const newest = useRandomChat(({ session }) => session?.messages.at(-1));
  return (
    <p aria-live="polite" className="sr-only">
      {partner && newest?.senderId === partner.id ? (
        <span
          key={newest.key}
          data-says={copy.active.saysAloud(partner.username, newest.content)}
          className="before:content-[attr(data-says)]"
        />
      ) : null}
    </p>
  );
};
