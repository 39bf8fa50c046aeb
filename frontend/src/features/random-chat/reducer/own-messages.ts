import { type RandomMessageAck } from '@thaw/contract/acks';
import { toReactionEmoji } from '@thaw/contract/emojis';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { canBeReactedTo, isOwnText, type ChatMessage } from '@/chat-ui/chat-message';
import {
  activeSession,
  missed,
  stay,
  to,
  withSession,
  type Action,
  type Effect,
  type RandomChatState,
  type SentMessage,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';
import { applied, received } from '@/features/random-chat/reducer/stored-events';
import { withChange, withoutChange } from '@/features/random-chat/reducer/unconfirmed-changes';

/** The user's own messages, edits and reactions, from the input to the server's answer (A86 to A92, A101 to A112). */

/** The ack gives the user's message its id and its `seq`. */
export const acknowledged = (
  state: RandomChatState,
  sessionId: string,
  message: SentMessage,
  ack: RandomMessageAck,
): Step => {
  const session = activeSession(state, sessionId);
  if (!session) return stay(state);
  const { id, seq, timestamp } = ack;
  const messages = received(session, { ...message, sessionId, id, seq, timestamp });
  const isNext = seq === session.seq + 1;
  const settled = withSession(state, { messages, seq: isNext ? seq : session.seq });
  const isHole = seq > session.seq + 1;
  return isHole && settled.session ? missed(settled, settled.session) : stay(settled);
};

/** The client has stopped reconnecting, so whether the partner is typing is unknown. */
export const connectionGivenUp = (state: RandomChatState): Step =>
  stay(withSession(state, { isPartnerTyping: false }));

// Edits and reactions.

const messageOf = (state: RandomChatState, messageId: string): ChatMessage | undefined =>
  state.phase === 'active' ? state.session?.messages.find(({ id }) => id === messageId) : undefined;

export const reactionToggled = (
  state: RandomChatState,
  { changeId, messageId, emoji: pressed, me }: Extract<Action, { type: 'reactionToggled' }>,
): Step => {
  const { session } = state;
  const message = messageOf(state, messageId);
  const emoji = toReactionEmoji(pressed);
  if (!session || !message || !emoji || !canBeReactedTo(message)) return stay(state);
  const action = message.reactions[emoji]?.users.includes(me) ? 'remove' : 'add';
  return to(
    {
      ...state,
      session: withChange(session, messageId, { changeId, kind: 'reaction', emoji, action, userId: me }),
    },
    {
      type: 'react',
      changeId,
      data: { sessionId: session.sessionId, messageId, emoji, action, userId: me },
    },
  );
};

export const editSaved = (
  state: RandomChatState,
  { changeId, messageId, newContent, me }: Extract<Action, { type: 'editSaved' }>,
): Step => {
  const { session } = state;
  const message = messageOf(state, messageId);
  if (!session || !message || !isOwnText(message, me) || newContent === message.content) return stay(state);
  return to(
    { ...state, session: withChange(session, messageId, { changeId, kind: 'edit', newContent }) },
    {
      type: 'edit',
      changeId,
      data: { sessionId: session.sessionId, messageId, newContent, userId: me },
    },
  );
};

export const changeStored = (
  state: RandomChatState,
  changeId: string,
  messageId: string,
  frame: Extract<ServerFrame, { event: 'message_edited' | 'message_reaction' }>,
  me: number,
): Step => {
  const session = activeSession(state, frame.data.sessionId);
  if (!session) return stay(state);
  const { seq } = frame.data;
  // Also when nothing changed: the ack then carries the present `seq`, and no event follows.
  const stored = withoutChange(applied(session, frame, me), messageId, changeId);
  if (seq > session.seq + 1) return missed({ ...state, session: stored }, stored);
  return stay({ ...state, session: { ...stored, seq: Math.max(seq, session.seq) } });
};

export const changeFailed = (
  state: RandomChatState,
  sessionId: string,
  messageId: string,
  changeId: string,
): Step =>
  state.session?.sessionId === sessionId
    ? stay({ ...state, session: withoutChange(state.session, messageId, changeId) })
    : stay(state);

/** The user's edits and reactions that the server has not answered, as the commands that send them again. */
export const unansweredChanges = ({ sessionId, unconfirmed }: Session, me: number): Effect[] =>
  Object.entries(unconfirmed).flatMap(([messageId, { changes }]) =>
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
