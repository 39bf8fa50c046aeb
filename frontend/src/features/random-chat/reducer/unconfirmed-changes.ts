import { type Reactions } from '@thaw/contract/random-chat';
import { type ChatMessage } from '@/chat-ui/chat-message';
import {
  type ConfirmedContent,
  type MessageChange,
  type Session,
  type UnconfirmedMessage,
} from '@/features/random-chat/reducer/random-chat.state';

// Edits and reactions are shown before the server has answered. Until then the session keeps the confirmed content of
// the message and the list of unanswered changes. The message on the screen is the confirmed content with these changes
// applied, so a refusal undoes exactly one change, whatever arrived in the meantime.

/** Adds or removes one user's reaction. An emoji without users has no entry. */
const applyReaction = (
  reactions: Reactions,
  emoji: string,
  action: 'add' | 'remove',
  userId: number,
): Reactions => {
  const otherUsers = (reactions[emoji]?.users ?? []).filter((id) => id !== userId);
  const users = action === 'add' ? [...otherUsers, userId] : otherUsers;
  if (users.length === 0) {
    const { [emoji]: _removed, ...otherReactions } = reactions;
    return otherReactions;
  }
  // An existing entry keeps its place, a new one is appended.
  return { ...reactions, [emoji]: { count: users.length, users } };
};

const applyChange = (content: ConfirmedContent, change: MessageChange): ConfirmedContent =>
  change.kind === 'edit'
    ? { ...content, content: change.newContent, isEdited: true }
    : {
        ...content,
        reactions: applyReaction(content.reactions, change.emoji, change.action, change.userId),
      };

const pickConfirmedContent = ({ content, isEdited, reactions }: ChatMessage): ConfirmedContent => ({
  content,
  isEdited,
  reactions,
});

/** Stores the confirmed content and the unanswered changes of a message, and updates the message on the screen. */
const replaceUnconfirmed = (
  session: Session,
  messageId: string,
  { confirmed, changes }: UnconfirmedMessage,
): Session => {
  const { [messageId]: _replaced, ...others } = session.unconfirmedMessages;
  const shownContent = changes.reduce(applyChange, confirmed);
  return {
    ...session,
    unconfirmedMessages: changes.length === 0 ? others : { ...others, [messageId]: { confirmed, changes } },
    messages: session.messages.map((message) =>
      message.id === messageId ? { ...message, ...shownContent } : message,
    ),
  };
};

/** The confirmed content and the unanswered changes of a message; undefined when there is no such message. */
const findUnconfirmed = (session: Session, messageId: string): UnconfirmedMessage | undefined => {
  const unconfirmed = session.unconfirmedMessages[messageId];
  if (unconfirmed) return unconfirmed;
  const message = session.messages.find(({ id }) => id === messageId);
  return message && { confirmed: pickConfirmedContent(message), changes: [] };
};

/** Shows a change that the server has not answered yet. */
export const addUnconfirmedChange = (session: Session, messageId: string, change: MessageChange): Session => {
  const unconfirmed = findUnconfirmed(session, messageId);
  if (!unconfirmed) return session;
  const { confirmed, changes } = unconfirmed;
  return replaceUnconfirmed(session, messageId, { confirmed, changes: [...changes, change] });
};

/** Removes a change that the server has answered or will not answer. */
export const removeUnconfirmedChange = (session: Session, messageId: string, changeId: string): Session => {
  const unconfirmed = session.unconfirmedMessages[messageId];
  if (!unconfirmed) return session;
  const { confirmed, changes } = unconfirmed;
  const remaining = changes.filter((change) => change.changeId !== changeId);
  if (remaining.length === changes.length) return session;
  return replaceUnconfirmed(session, messageId, { confirmed, changes: remaining });
};

/** Updates the confirmed content of a message; the user's unanswered changes are applied on top. */
export const updateConfirmedContent = (
  session: Session,
  messageId: string,
  update: Partial<ConfirmedContent>,
): Session => {
  const unconfirmed = findUnconfirmed(session, messageId);
  if (!unconfirmed) return session;
  const { confirmed, changes } = unconfirmed;
  return replaceUnconfirmed(session, messageId, { confirmed: { ...confirmed, ...update }, changes });
};
