import { type Reactions } from '@thaw/contract/random-chat';
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

const applyChange = (shown: ConfirmedContent, change: MessageChange): ConfirmedContent => {
  if (change.kind === 'edit') return { ...shown, content: change.newContent, isEdited: true };
  const { emoji, action, userId } = change;
  return { ...shown, reactions: applyReaction(shown.reactions, emoji, action, userId) };
};

/** Stores the confirmed content and the unanswered changes of a message, and updates the message on the screen. */
const replaceContentAndChanges = (
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

/** The confirmed content and the unanswered changes, if any, of a message; undefined when there is no such message. */
const findContentAndChanges = (session: Session, messageId: string): UnconfirmedMessage | undefined => {
  const unconfirmed = session.unconfirmedMessages[messageId];
  if (unconfirmed) return unconfirmed;
  const message = session.messages.find(({ id }) => id === messageId);
  if (!message) return undefined;
  // Without unanswered changes, the content on the screen is the confirmed content.
  const { content, isEdited, reactions } = message;
  return { confirmed: { content, isEdited, reactions }, changes: [] };
};

/** Shows a change that the server has not answered yet. */
export const addUnconfirmedChange = (session: Session, messageId: string, change: MessageChange): Session => {
  const found = findContentAndChanges(session, messageId);
  if (!found) return session;
  return replaceContentAndChanges(session, messageId, { ...found, changes: [...found.changes, change] });
};

/** Removes a change that the server has answered or will not answer. */
export const removeUnconfirmedChange = (session: Session, messageId: string, changeId: string): Session => {
  const unconfirmed = session.unconfirmedMessages[messageId];
  if (!unconfirmed) return session;
  const remaining = unconfirmed.changes.filter((change) => change.changeId !== changeId);
  if (remaining.length === unconfirmed.changes.length) return session;
  return replaceContentAndChanges(session, messageId, { ...unconfirmed, changes: remaining });
};

/** Updates the confirmed content of a message; the user's unanswered changes are applied on top. */
export const updateConfirmedContent = (
  session: Session,
  messageId: string,
  update: Partial<ConfirmedContent>,
): Session => {
  const found = findContentAndChanges(session, messageId);
  if (!found) return session;
  const confirmed = { ...found.confirmed, ...update };
  return replaceContentAndChanges(session, messageId, { ...found, confirmed });
};
