import { type RandomMessageAck } from '@thaw/contract/acks';
import { toReactionEmoji } from '@thaw/contract/emojis';
import { canBeReactedTo, canBeEdited, type ChatMessage } from '@/chat-ui/chat-message';
import {
  findActiveSession,
  patchSession,
  requestMissingEvents,
  stepTo,
  type Action,
  type Effect,
  type RandomChatState,
  type SentMessage,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';
import { applyStoredEvent, insertMessage } from '@/features/random-chat/reducer/stored-events';
import {
  addUnconfirmedChange,
  removeUnconfirmedChange,
} from '@/features/random-chat/reducer/unconfirmed-changes';

// The user's own messages, edits and reactions, from the input to the server's answer
// (docs/product-decisions.md, A86 to A92 and A101 to A112).

/** Whether events between the newest applied one and the one with this `seq` are missing. */
const hasGapBefore = (seq: number, session: Session): boolean => seq > session.seq + 1;

/** Adds the user's message, with the id and the `seq` of its ack, to the chat. */
export const handleMessageAck = (
  state: RandomChatState,
  sessionId: string,
  message: SentMessage,
  ack: RandomMessageAck,
): Step => {
  const session = findActiveSession(state, sessionId);
  if (!session) return stepTo(state);
  const { id, seq, timestamp } = ack;
  const messages = insertMessage(session, { ...message, sessionId, id, seq, timestamp });
  const isNext = seq === session.seq + 1;
  // After a gap, the message is shown at once, but the `seq` advances only when the missing events arrive.
  const acknowledged = patchSession(state, { messages, seq: isNext ? seq : session.seq });
  return hasGapBefore(seq, session) ? requestMissingEvents(acknowledged) : stepTo(acknowledged);
};

const findMessage = (state: RandomChatState, messageId: string): ChatMessage | undefined =>
  state.phase === 'active' ? state.session?.messages.find(({ id }) => id === messageId) : undefined;

/** Adds the user's reaction to a message, or removes it when they have reacted with the same emoji. */
export const toggleReaction = (
  state: RandomChatState,
  { changeId, messageId, emoji: pressedEmoji, me }: Extract<Action, { type: 'reactionToggled' }>,
): Step => {
  const { session } = state;
  const message = findMessage(state, messageId);
  const emoji = toReactionEmoji(pressedEmoji);
  if (!session || !message || !emoji || !canBeReactedTo(message)) return stepTo(state);
  const { sessionId } = session;
  const action = message.reactions[emoji]?.users.includes(me) ? 'remove' : 'add';
  const change = { changeId, kind: 'reaction', emoji, action, userId: me } as const;
  return stepTo(
    { ...state, session: addUnconfirmedChange(session, messageId, change) },
    { type: 'react', changeId, data: { sessionId, messageId, emoji, action, userId: me } },
  );
};

/** Replaces the text of one of the user's own messages. */
export const saveEdit = (
  state: RandomChatState,
  { changeId, messageId, newContent, me }: Extract<Action, { type: 'editSaved' }>,
): Step => {
  const { session } = state;
  const message = findMessage(state, messageId);
  if (!session || !message || !canBeEdited(message, me) || newContent === message.content) {
    return stepTo(state);
  }
  const { sessionId } = session;
  const change = { changeId, kind: 'edit', newContent } as const;
  return stepTo(
    { ...state, session: addUnconfirmedChange(session, messageId, change) },
    { type: 'edit', changeId, data: { sessionId, messageId, newContent, userId: me } },
  );
};

/** Confirms an edit or reaction that the server has stored. */
export const handleChangeStored = (
  state: RandomChatState,
  { changeId, messageId, frame, me }: Extract<Action, { type: 'changeStored' }>,
): Step => {
  const session = findActiveSession(state, frame.data.sessionId);
  if (!session) return stepTo(state);
  const { seq } = frame.data;
  const updatedSession = removeUnconfirmedChange(applyStoredEvent(session, frame, me), messageId, changeId);
  if (hasGapBefore(seq, session)) return requestMissingEvents({ ...state, session: updatedSession });
  // A reaction that changed nothing has the `seq` of an earlier event, which may be lower than that of the session.
  return stepTo({ ...state, session: { ...updatedSession, seq: Math.max(seq, session.seq) } });
};

/** Undoes an edit or reaction that the server has not stored. */
export const handleChangeFailed = (
  state: RandomChatState,
  { sessionId, messageId, changeId }: Extract<Action, { type: 'changeFailed' }>,
): Step =>
  state.session?.sessionId === sessionId
    ? stepTo({ ...state, session: removeUnconfirmedChange(state.session, messageId, changeId) })
    : stepTo(state);

/** Creates the effects that send the user's unconfirmed edits and reactions again. */
export const createResendChangesEffects = (
  { sessionId, unconfirmedMessages }: Session,
  me: number,
): Effect[] =>
  Object.entries(unconfirmedMessages).flatMap(([messageId, { changes }]) =>
    changes.map((change): Effect => {
      const { changeId } = change;
      if (change.kind === 'edit') {
        const { newContent } = change;
        return { type: 'edit', changeId, data: { sessionId, messageId, newContent, userId: me } };
      }
      const { emoji, action, userId } = change;
      return { type: 'react', changeId, data: { sessionId, messageId, emoji, action, userId } };
    }),
  );
