import { type RandomMessageAck } from '@thaw/contract/acks';
import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import {
  type ChatMatched,
  type ChatSkipped,
  type EndReason,
  type PartnerInfo,
  type RandomMessage,
  type SessionResumed,
} from '@thaw/contract/random-chat';
import { SYSTEM_SENDER_ID, type Preference } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/features/random-chat/copy';
import { parseEvent } from '@/lib/socket/parse-frame';

/**
 * The random chat as a pure function: what the person did or the server said, and the present state, give the next
 * state and what is to be done (specification §4, decisions A41 to A61, A86 to A92).
 */

export type Phase = 'initial' | 'searching' | 'skipped' | 'active';

export interface Session {
  sessionId: string;
  /** Version of the session's stream that is shown here. */
  seq: number;
  /** A frame was missed and has been asked for. */
  isResyncing: boolean;
  partner: PartnerInfo;
  partnerConnection: 'connected' | 'reconnecting';
  isPartnerTyping: boolean;
  messages: readonly ChatMessage[];
}

export interface RandomChatState {
  phase: Phase;
  preference: Preference;
  /** Milliseconds since the epoch; the server's word, or ours until it came. */
  searchingSince: number | null;
  /** From `queue_status`: false when nobody who waits fits. */
  anyoneMatches: boolean;
  /** In *active*, and in *skipped* until New Conversation (A58). */
  session: Session | null;
  endReason: EndReason | null;
  /** Sessions that this client has left, newest last: what still comes of them is declined. */
  left: readonly string[];
  /** The search was cancelled while offline; the server has not heard of it yet (A46). */
  owesLeave: boolean;
}

export const initialState = (preference: Preference = 'both'): RandomChatState => ({
  phase: 'initial',
  preference,
  searchingSince: null,
  anyoneMatches: true,
  session: null,
  endReason: null,
  left: [],
  owesLeave: false,
});

export type Action =
  | { type: 'preferenceChosen'; preference: Preference }
  | { type: 'findPressed'; at: number }
  | { type: 'cancelPressed'; isConnected: boolean }
  | { type: 'skipConfirmed'; at: number }
  | { type: 'newConversationPressed' }
  /** The server did not take `join_queue`. */
  | { type: 'searchRefused' }
  /** Off to another page, or signed out. */
  | { type: 'chatLeft'; isConnected: boolean }
  | { type: 'submitted'; clientId: string; senderId: number; content: string; at: number }
  | { type: 'retryPressed'; clientId: string }
  | { type: 'acknowledged'; sessionId: string; clientId: string; ack: RandomMessageAck }
  | { type: 'deliveryFailed'; sessionId: string; clientId: string }
  /** Too fast: the text goes back to the composer (A90). */
  | { type: 'takenBack'; sessionId: string; clientId: string }
  | { type: 'connectionGivenUp' }
  | { type: 'typingExpired' }
  /** The server knows no chat of mine any more and has not said how it ended. */
  | { type: 'sessionVanished'; sessionId: string }
  | { type: 'received'; frame: ServerFrame; me: number; at: number };

type Send<E extends ClientEvent = ClientEvent> = {
  [K in E]: { type: 'send'; event: K; data: ClientInput<K> };
}[E];

export type Effect =
  | Send<'join_queue' | 'leave_queue' | 'skip_chat'>
  | { type: 'deliver'; sessionId: string; clientId: string; content: string }
  /** A frame is missing: ask for everything after `seq`. */
  | { type: 'resync' }
  | { type: 'expireTyping' }
  | { type: 'expectEnd'; sessionId: string };

export interface Step {
  state: RandomChatState;
  effects: readonly Effect[];
}

const stay = (state: RandomChatState): Step => ({ state, effects: [] });
const to = (state: RandomChatState, ...effects: Effect[]): Step => ({ state, effects });

const joinQueue = (preferences: Preference): Effect => ({
  type: 'send',
  event: 'join_queue',
  data: { preferences },
});
const leaveQueue: Effect = { type: 'send', event: 'leave_queue', data: {} };
const skipChat = (sessionId: string): Effect => ({ type: 'send', event: 'skip_chat', data: { sessionId } });

const leftSessionsKept = 8;
const withLeft = (state: RandomChatState, sessionId: string): RandomChatState => ({
  ...state,
  left: [...state.left.filter((id) => id !== sessionId), sessionId].slice(-leftSessionsKept),
});

const toInitial = (state: RandomChatState): RandomChatState => ({
  ...state,
  phase: 'initial',
  searchingSince: null,
  anyoneMatches: true,
  session: null,
  endReason: null,
});

const toSearching = (state: RandomChatState, since: number): RandomChatState => ({
  ...toInitial(state),
  phase: 'searching',
  searchingSince: since,
});

const withSession = (state: RandomChatState, change: Partial<Session>): RandomChatState =>
  state.session ? { ...state, session: { ...state.session, ...change } } : state;

const welcome = (partner: PartnerInfo, sessionId: string, at: number): ChatMessage => ({
  id: `welcome-${sessionId}`,
  key: `welcome-${sessionId}`,
  senderId: SYSTEM_SENDER_ID,
  content: copy.active.welcome(partner.username),
  type: 'text',
  timestamp: at,
  replyTo: null,
  delivery: 'sent',
});

// Messages. Those on their way stand last, in the order in which they were written.

const firstOnItsWay = (messages: readonly ChatMessage[]): number => {
  let index = messages.length;
  while (index > 0 && messages[index - 1]?.delivery === 'sending') index -= 1;
  return index;
};

const insertSent = (messages: readonly ChatMessage[], message: ChatMessage): readonly ChatMessage[] => {
  const index = firstOnItsWay(messages);
  return [...messages.slice(0, index), message, ...messages.slice(index)];
};

const withoutClientId = (messages: readonly ChatMessage[], clientId: string): readonly ChatMessage[] =>
  messages.filter((message) => message.clientId !== clientId);

const ofClientId = (session: Session, clientId: string | undefined): ChatMessage | undefined =>
  clientId === undefined ? undefined : session.messages.find((message) => message.clientId === clientId);

const settle = (
  session: Session,
  mine: ChatMessage,
  clientId: string,
  { id, timestamp }: { id: string; timestamp: string },
): readonly ChatMessage[] =>
  insertSent(withoutClientId(session.messages, clientId), {
    ...mine,
    id,
    timestamp: Date.parse(timestamp),
    delivery: 'sent',
  });

const received = (session: Session, data: RandomMessage): readonly ChatMessage[] => {
  const mine = ofClientId(session, data.clientId);
  if (mine && data.clientId !== undefined) return settle(session, mine, data.clientId, data);
  if (session.messages.some((message) => message.id === data.id)) return session.messages;
  return insertSent(session.messages, {
    id: data.id,
    key: data.clientId ?? data.id,
    senderId: data.senderId,
    content: data.content,
    type: data.type,
    timestamp: Date.parse(data.timestamp),
    replyTo: data.replyTo,
    delivery: 'sent',
    ...(data.clientId === undefined ? {} : { clientId: data.clientId }),
  });
};

/** What one stored event changes in the session, its `seq` apart. */
const applied = (session: Session, frame: ServerFrame): Session => {
  if (frame.event !== 'random_message') return session;
  return {
    ...session,
    messages: received(session, frame.data),
    isPartnerTyping: frame.data.senderId === session.partner.id ? false : session.isPartnerTyping,
  };
};

const missed = (state: RandomChatState, session: Session): Step =>
  session.isResyncing ? stay(state) : to(withSession(state, { isResyncing: true }), { type: 'resync' });

/** One stored event, once and in order; a hole means that something was lost on the way. */
const store = (state: RandomChatState, seq: number, frame: ServerFrame): Step => {
  const { session } = state;
  if (!session || seq <= session.seq) return stay(state);
  if (seq > session.seq + 1) return missed(state, session);
  return stay({ ...state, session: { ...applied(session, frame), seq } });
};

const matched = (state: RandomChatState, data: ChatMatched, at: number): Step => {
  if (state.session?.sessionId === data.sessionId || state.left.includes(data.sessionId)) return stay(state);
  const isWanted = (state.phase === 'searching' || state.phase === 'active') && !state.owesLeave;
  if (!isWanted) return to(withLeft(state, data.sessionId), skipChat(data.sessionId));
  return stay({
    ...toInitial(state),
    phase: 'active',
    session: {
      sessionId: data.sessionId,
      seq: data.seq,
      isResyncing: false,
      partner: data.partnerInfo,
      partnerConnection: 'connected',
      isPartnerTyping: false,
      messages: [welcome(data.partnerInfo, data.sessionId, at)],
    },
  });
};

const ended = (state: RandomChatState, data: ChatSkipped, me: number): Step => {
  if (state.phase !== 'active' || state.session?.sessionId !== data.sessionId) return stay(state);
  const over = withLeft(state, data.sessionId);
  if (data.endedBy === me) return stay(toInitial(over));
  return stay({
    ...over,
    phase: 'skipped',
    endReason: data.reason,
    session: { ...state.session, isPartnerTyping: false },
  });
};

const resumed = (state: RandomChatState, data: SessionResumed, me: number, at: number): Step => {
  if (state.owesLeave || state.left.includes(data.sessionId)) {
    const declined = withLeft({ ...state, owesLeave: false }, data.sessionId);
    const again = state.phase === 'searching' ? [joinQueue(state.preference)] : [];
    // The frames of one answer are many; only the last is declined.
    return data.last ? to(declined, skipChat(data.sessionId), ...again) : stay(state);
  }
  const known =
    state.session?.sessionId === data.sessionId && state.phase === 'active' ? state.session : null;
  const isNews = state.phase === 'searching';
  let session: Session = {
    ...(known ?? {
      sessionId: data.sessionId,
      seq: 0,
      isResyncing: false,
      isPartnerTyping: false,
      messages: isNews ? [welcome(data.partnerInfo, data.sessionId, at)] : [],
    }),
    partner: data.partnerInfo,
    partnerConnection: data.partnerConnection,
  };
  let end: ChatSkipped | undefined;
  for (const { event, data: eventData } of data.events) {
    const frame = parseEvent(event, eventData);
    if (!frame?.data || !('seq' in frame.data) || typeof frame.data.seq !== 'number') continue;
    if (frame.data.seq <= session.seq) continue;
    if (frame.event === 'chat_skipped') end = frame.data;
    session = { ...applied(session, frame), seq: frame.data.seq };
  }
  session = { ...session, seq: Math.max(session.seq, data.seq), isResyncing: !data.last };
  const active: RandomChatState = { ...toInitial(state), phase: 'active', session };
  if (end) return ended(active, end, me);
  if (!data.last) return stay(active);
  return to(
    active,
    ...session.messages.flatMap((message): Effect[] =>
      message.delivery === 'sending' && message.clientId !== undefined
        ? [
            {
              type: 'deliver',
              sessionId: session.sessionId,
              clientId: message.clientId,
              content: message.content,
            },
          ]
        : [],
    ),
  );
};

const authenticated = (state: RandomChatState, serverState: 'idle' | 'searching' | 'chatting'): Step => {
  switch (serverState) {
    case 'idle':
      if (state.phase === 'searching') return to(state, joinQueue(state.preference));
      if (state.phase === 'active' && state.session) {
        return to(state, { type: 'expectEnd', sessionId: state.session.sessionId });
      }
      return stay({ ...state, owesLeave: false });
    case 'searching':
      if (state.owesLeave) return to({ ...state, owesLeave: false }, leaveQueue);
      // The chat shown here was left in another tab, which searches again; `queue_joined` follows.
      if (state.phase === 'active') return stay(toInitial(state));
      return stay(state);
    case 'chatting':
      return stay(state);
  }
};

const receive = (state: RandomChatState, frame: ServerFrame, me: number, at: number): Step => {
  switch (frame.event) {
    case 'authenticated':
      return authenticated(state, frame.data.state);
    case 'queue_joined': {
      if (state.owesLeave || state.phase === 'active') return stay(state);
      const { preferences, since } = frame.data;
      const parsed = Date.parse(since);
      return stay({ ...toSearching(state, Number.isNaN(parsed) ? at : parsed), preference: preferences });
    }
    case 'queue_left':
      return stay(state.phase === 'searching' ? toInitial(state) : state);
    case 'queue_status':
      return stay(
        state.phase === 'searching' ? { ...state, anyoneMatches: frame.data.anyoneMatches } : state,
      );
    case 'chat_matched':
      return matched(state, frame.data, at);
    case 'session_resumed':
      return resumed(state, frame.data, me, at);
    case 'chat_skipped':
      return ended(state, frame.data, me);
    case 'random_message':
    case 'message_reaction':
    case 'message_edited':
    case 'break_ice_question_received':
    case 'break_ice_partner_responded_waiting':
    case 'break_ice_partner_answered':
    case 'break_ice_reveal_results':
    case 'break_ice_ignored':
      if (state.phase !== 'active' || state.session?.sessionId !== frame.data.sessionId) return stay(state);
      return store(state, frame.data.seq, frame);
    case 'partner_connection':
      if (state.phase !== 'active' || state.session?.sessionId !== frame.data.sessionId) return stay(state);
      return stay(withSession(state, { partnerConnection: frame.data.state, isPartnerTyping: false }));
    case 'typing':
      if (state.phase !== 'active' || state.session?.sessionId !== frame.data.sessionId) return stay(state);
      if (frame.data.userId !== state.session?.partner.id) return stay(state);
      return to(withSession(state, { isPartnerTyping: true }), { type: 'expireTyping' });
    default:
      return stay(state);
  }
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

const acknowledged = (
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

const cancelled = (state: RandomChatState, isConnected: boolean): Step =>
  to({ ...toInitial(state), owesLeave: !isConnected }, leaveQueue);

const left = (state: RandomChatState, isConnected: boolean): Step => {
  if (state.phase === 'searching') return cancelled(state, isConnected);
  if (state.phase !== 'active' || !state.session) return stay(toInitial(state));
  const { sessionId } = state.session;
  return to(toInitial(withLeft(state, sessionId)), skipChat(sessionId));
};

export const reduce = (state: RandomChatState, action: Action): Step => {
  switch (action.type) {
    case 'preferenceChosen':
      return stay(state.phase === 'initial' ? { ...state, preference: action.preference } : state);
    case 'findPressed':
      if (state.phase !== 'initial') return stay(state);
      return to({ ...toSearching(state, action.at), owesLeave: false }, joinQueue(state.preference));
    case 'cancelPressed':
      return state.phase === 'searching' ? cancelled(state, action.isConnected) : stay(state);
    case 'searchRefused':
      return stay(state.phase === 'searching' ? toInitial(state) : state);
    case 'skipConfirmed': {
      if (state.phase !== 'active' || !state.session) return stay(state);
      const { sessionId } = state.session;
      return to(
        toSearching(withLeft(state, sessionId), action.at),
        skipChat(sessionId),
        joinQueue(state.preference),
      );
    }
    case 'newConversationPressed':
      return stay(state.phase === 'skipped' ? toInitial(state) : state);
    case 'chatLeft':
      return left(state, action.isConnected);
    case 'submitted': {
      const { session } = state;
      if (state.phase !== 'active' || !session) return stay(state);
      const { clientId, content } = action;
      const mine: ChatMessage = {
        id: clientId,
        key: clientId,
        clientId,
        senderId: action.senderId,
        content,
        type: 'text',
        timestamp: action.at,
        replyTo: null,
        delivery: 'sending',
      };
      return to(withSession(state, { messages: [...session.messages, mine] }), {
        type: 'deliver',
        sessionId: session.sessionId,
        clientId,
        content,
      });
    }
    case 'retryPressed':
      return changeOwn(state, state.session?.sessionId ?? '', action.clientId, (session, mine) =>
        state.phase !== 'active' || mine.delivery !== 'failed'
          ? stay(state)
          : to(
              withSession(state, {
                messages: [
                  ...withoutClientId(session.messages, action.clientId),
                  { ...mine, delivery: 'sending' },
                ],
              }),
              {
                type: 'deliver',
                sessionId: session.sessionId,
                clientId: action.clientId,
                content: mine.content,
              },
            ),
      );
    case 'acknowledged':
      return acknowledged(state, action.sessionId, action.clientId, action.ack);
    case 'deliveryFailed':
      return changeOwn(state, action.sessionId, action.clientId, (session, mine) =>
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
    case 'takenBack':
      return changeOwn(state, action.sessionId, action.clientId, (session, mine) =>
        mine.delivery === 'sent'
          ? stay(state)
          : stay(withSession(state, { messages: withoutClientId(session.messages, action.clientId) })),
      );
    case 'connectionGivenUp':
      return stay(
        withSession(state, {
          isPartnerTyping: false,
          messages:
            state.session?.messages.map((message) =>
              message.delivery === 'sending' ? { ...message, delivery: 'failed' as const } : message,
            ) ?? [],
        }),
      );
    case 'typingExpired':
      return stay(withSession(state, { isPartnerTyping: false }));
    case 'sessionVanished':
      if (state.phase !== 'active' || state.session?.sessionId !== action.sessionId) return stay(state);
      return stay({
        ...withLeft(state, action.sessionId),
        phase: 'skipped',
        endReason: 'disconnected',
        session: { ...state.session, isPartnerTyping: false },
      });
    case 'received':
      return receive(state, action.frame, action.me, action.at);
  }
};
