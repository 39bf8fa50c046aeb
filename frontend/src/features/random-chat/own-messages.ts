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
  type Session,
  type Step,
} from '@/features/random-chat/random-chat.state';
import { applied, ofClientId, settle, withoutClientId } from '@/features/random-chat/stored-events';
import { withChange, withoutChange } from '@/features/random-chat/unconfirmed-changes';

/** What I say, edit and react with, from the key stroke to the server's answer (A86 to A92, A101 to A112). */

export const delivery = (sessionId: string, clientId: string, message: ChatMessage): Effect => ({
  type: 'deliver',
  sessionId,
  clientId,
  content: message.content,
  messageType: message.type === 'image' || message.type === 'mixed' ? message.type : 'text',
  replyToId: message.replyTo?.messageId ?? null,
});

export const submitted = (
  state: RandomChatState,
  { clientId, senderId, content, messageType, replyTo, at }: Extract<Action, { type: 'submitted' }>,
): Step => {
  const { session } = state;
  if (state.phase !== 'active' || !session) return stay(state);
  const mine: ChatMessage = {
    id: clientId,
    key: clientId,
    clientId,
    senderId,
    content,
    type: messageType,
    timestamp: at,
    replyTo,
    reactions: {},
    isEdited: false,
    delivery: 'sending',
  };
  return to(
    withSession(state, { messages: [...session.messages, mine] }),
    delivery(session.sessionId, clientId, mine),
  );
};

const changeOwn = (
  state: RandomChatState,
  sessionId: string,
  clientId: string,
  change: (session: Session, mine: ChatMessage) => Step,
): Step => {
  const { session } = state;
  const mine = session ? ofClientId(session, clientId) : undefined;
  return session?.sessionId === sessionId && mine ? change(session, mine) : stay(state);
};

export const retried = (state: RandomChatState, clientId: string): Step =>
  changeOwn(state, state.session?.sessionId ?? '', clientId, (session, mine) => {
    if (state.phase !== 'active' || mine.delivery !== 'failed') return stay(state);
    const messages: ChatMessage[] = [
      ...withoutClientId(session.messages, clientId),
      { ...mine, delivery: 'sending' },
    ];
    return to(withSession(state, { messages }), delivery(session.sessionId, clientId, mine));
  });

export const acknowledged = (
  state: RandomChatState,
  sessionId: string,
  clientId: string,
  ack: RandomMessageAck,
): Step =>
  changeOwn(state, sessionId, clientId, (session, mine) => {
    const isNext = ack.seq === session.seq + 1;
    const isHole = ack.seq > session.seq + 1;
    const settled = withSession(state, {
      messages: settle(session, mine, clientId, ack),
      seq: isNext ? ack.seq : session.seq,
    });
    return isHole && settled.session ? missed(settled, settled.session) : stay(settled);
  });

export const failed = (state: RandomChatState, sessionId: string, clientId: string): Step =>
  changeOwn(state, sessionId, clientId, (session, mine) =>
    mine.delivery !== 'sending'
      ? stay(state)
      : stay(
          withSession(state, {
            messages: session.messages.map((message) =>
              message === mine ? { ...mine, delivery: 'failed' } : message,
            ),
          }),
        ),
  );

export const takenBack = (state: RandomChatState, sessionId: string, clientId: string): Step =>
  changeOwn(state, sessionId, clientId, (session, mine) =>
    mine.delivery === 'sent'
      ? stay(state)
      : stay(withSession(state, { messages: withoutClientId(session.messages, clientId) })),
  );

/** No connection will come by itself: whatever is on its way waits for Retry. */
export const allFailed = (state: RandomChatState): Step =>
  stay(
    withSession(state, {
      isPartnerTyping: false,
      messages:
        state.session?.messages.map((message) =>
          message.delivery === 'sending' ? { ...message, delivery: 'failed' as const } : message,
        ) ?? [],
    }),
  );

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
  // Also where nothing changed: then the ack carries the present `seq` and no event follows.
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
