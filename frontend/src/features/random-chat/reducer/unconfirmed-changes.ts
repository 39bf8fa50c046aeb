import { type Reactions } from '@thaw/contract/random-chat';
import { type ChatMessage } from '@/chat-ui/chat-message';
import {
  type Change,
  type Confirmed,
  type Session,
  type UnconfirmedMessage,
} from '@/features/random-chat/reducer/random-chat.state';

/**
 * Edits and reactions are shown at once. What the server has confirmed of such a message is kept beside it, so that a
 * refusal undoes exactly the one change, whatever arrived meanwhile.
 */

/** The reactions with one user's added or removed; an emoji without users is no entry (specification §4). */
export const withReaction = (
  reactions: Reactions,
  emoji: string,
  action: 'add' | 'remove',
  userId: number,
): Reactions => {
  const others = (reactions[emoji]?.users ?? []).filter((id) => id !== userId);
  const users = action === 'add' ? [...others, userId] : others;
  const { [emoji]: _, ...rest } = reactions;
  if (users.length === 0) return rest;
  return reactions[emoji]
    ? { ...reactions, [emoji]: { count: users.length, users } }
    : { ...rest, [emoji]: { count: users.length, users } };
};

const changed = (confirmed: Confirmed, change: Change): Confirmed =>
  change.kind === 'edit'
    ? { ...confirmed, content: change.newContent, isEdited: true }
    : {
        ...confirmed,
        reactions: withReaction(confirmed.reactions, change.emoji, change.action, change.userId),
      };

const confirmedOf = ({ content, isEdited, reactions }: ChatMessage): Confirmed => ({
  content,
  isEdited,
  reactions,
});

const put = (
  session: Session,
  messageId: string,
  confirmed: Confirmed,
  changes: readonly Change[],
): Session => {
  const { [messageId]: _, ...others } = session.unconfirmed;
  const shown = changes.reduce(changed, confirmed);
  return {
    ...session,
    unconfirmed: changes.length === 0 ? others : { ...others, [messageId]: { confirmed, changes } },
    messages: session.messages.map((message) =>
      message.id === messageId ? { ...message, ...shown } : message,
    ),
  };
};

const present = (session: Session, messageId: string): UnconfirmedMessage | undefined => {
  const unconfirmed = session.unconfirmed[messageId];
  if (unconfirmed) return unconfirmed;
  const message = session.messages.find(({ id }) => id === messageId);
  return message && { confirmed: confirmedOf(message), changes: [] };
};

/** Shows a change that the server has not taken yet. */
export const withChange = (session: Session, messageId: string, change: Change): Session => {
  const now = present(session, messageId);
  return now ? put(session, messageId, now.confirmed, [...now.changes, change]) : session;
};

/** The server has answered, or never will: the change itself is no longer shown, only what is confirmed. */
export const withoutChange = (session: Session, messageId: string, changeId: string): Session => {
  const now = session.unconfirmed[messageId];
  if (!now) return session;
  const left = now.changes.filter((change) => change.changeId !== changeId);
  return left.length === now.changes.length ? session : put(session, messageId, now.confirmed, left);
};

/** What the server says of a message, with mine still on their way on top. */
export const confirm = (session: Session, messageId: string, news: Partial<Confirmed>): Session => {
  const now = present(session, messageId);
  return now ? put(session, messageId, { ...now.confirmed, ...news }, now.changes) : session;
};
