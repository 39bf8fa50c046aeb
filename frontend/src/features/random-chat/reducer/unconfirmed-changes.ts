import { type Reactions } from '@thaw/contract/random-chat';
import { type ChatMessage } from '@/chat-ui/chat-message';
import {
  type Change,
  type Confirmed,
  type Session,
  type UnconfirmedMessage,
} from '@/features/random-chat/reducer/random-chat.state';

/**
 * Edits and reactions are shown at once. The confirmed content of such a message is kept beside it, so that a refusal
 * undoes exactly one change, whatever arrived in the meantime.
 */

/** Adds or removes one user's reaction; an emoji without users has no entry (specification §4). */
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

/** Shows a change that the server has not confirmed yet. */
export const withChange = (session: Session, messageId: string, change: Change): Session => {
  const now = present(session, messageId);
  return now ? put(session, messageId, now.confirmed, [...now.changes, change]) : session;
};

/** Removes a change that the server has answered or will not answer; only confirmed content stays. */
export const withoutChange = (session: Session, messageId: string, changeId: string): Session => {
  const now = session.unconfirmed[messageId];
  if (!now) return session;
  const left = now.changes.filter((change) => change.changeId !== changeId);
  return left.length === now.changes.length ? session : put(session, messageId, now.confirmed, left);
};

/** Updates the confirmed content of a message; the user's unconfirmed changes are applied on top. */
export const confirm = (session: Session, messageId: string, news: Partial<Confirmed>): Session => {
  const now = present(session, messageId);
  return now ? put(session, messageId, { ...now.confirmed, ...news }, now.changes) : session;
};
