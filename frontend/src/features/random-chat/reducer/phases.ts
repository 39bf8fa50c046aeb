import { type ClientInput } from '@thaw/contract/client-frames';
import { type ChatMatched, type ChatSkipped, type PartnerInfo } from '@thaw/contract/random-chat';
import { SYSTEM_SENDER_ID, type Preference } from '@thaw/contract/scalars';
import { type ServerData } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/features/random-chat/copy';
import { withoutOpenGame } from '@/features/random-chat/icebreaker/game-events';
import {
  activeSession,
  stay,
  to,
  type Effect,
  type RandomChatState,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';

/** Transitions between the phases initial, searching, active and skipped (specification §4, A41 to A61). */

export const joinQueue = (preferences: Preference): Effect => ({
  type: 'send',
  event: 'join_queue',
  data: { preferences },
});
export const leaveQueue: Effect = { type: 'send', event: 'leave_queue', data: {} };
export const skipChat = (sessionId: string): Effect => {
  const data: ClientInput<'skip_chat'> = { sessionId };
  return { type: 'send', event: 'skip_chat', data };
};

const leftSessionsKept = 8;
export const withLeft = (state: RandomChatState, sessionId: string): RandomChatState => ({
  ...state,
  left: [...state.left.filter((id) => id !== sessionId), sessionId].slice(-leftSessionsKept),
});

export const toInitial = (state: RandomChatState): RandomChatState => ({
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

export const welcome = (partner: PartnerInfo, sessionId: string, at: number): ChatMessage => ({
  id: `welcome-${sessionId}`,
  key: `welcome-${sessionId}`,
  senderId: SYSTEM_SENDER_ID,
  content: copy.active.welcome(partner.username),
  type: 'text',
  timestamp: at,
  replyTo: null,
  reactions: {},
  isEdited: false,
  delivery: 'sent',
});

// Actions of the user.

export const found = (state: RandomChatState, at: number): Step =>
  state.phase === 'initial'
    ? to({ ...toSearching(state, at), owesLeave: false }, joinQueue(state.preference))
    : stay(state);

/** `owesLeave` until the ack: on a failing connection the frame may never arrive. */
export const cancelled = (state: RandomChatState): Step =>
  state.phase === 'searching' ? to({ ...toInitial(state), owesLeave: true }, leaveQueue) : stay(state);

export const skipped = (state: RandomChatState, at: number): Step => {
  if (state.phase !== 'active' || !state.session) return stay(state);
  const { sessionId } = state.session;
  return to(toSearching(withLeft(state, sessionId), at), skipChat(sessionId), joinQueue(state.preference));
};

export const left = (state: RandomChatState): Step => {
  if (state.phase === 'searching') return cancelled(state);
  if (state.phase !== 'active' || !state.session) return stay(toInitial(state));
  const { sessionId } = state.session;
  return to(toInitial(withLeft(state, sessionId)), skipChat(sessionId));
};

// Frames of the server.

export const authenticated = (
  state: RandomChatState,
  serverState: ServerData<'authenticated'>['state'],
): Step => {
  switch (serverState) {
    case 'idle':
      if (state.phase === 'searching') return to(state, joinQueue(state.preference));
      if (state.phase === 'active' && state.session) {
        return to(state, { type: 'expectEnd', sessionId: state.session.sessionId });
      }
      return stay({ ...state, owesLeave: false });
    case 'searching':
      if (state.owesLeave) return to(state, leaveQueue);
      // The chat shown here was left in another tab, which is searching again; `queue_joined` follows.
      if (state.phase === 'active') return stay(toInitial(state));
      return stay(state);
    case 'chatting':
      return stay(state);
  }
};

export const queueJoined = (
  state: RandomChatState,
  { preferences, since }: ServerData<'queue_joined'>,
  at: number,
): Step => {
  if (state.owesLeave || state.phase === 'active') return stay(state);
  const parsed = Date.parse(since);
  return stay({ ...toSearching(state, Number.isNaN(parsed) ? at : parsed), preference: preferences });
};

export const matched = (state: RandomChatState, data: ChatMatched, at: number): Step => {
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
      celebrates: null,
      unconfirmed: {},
    },
  });
};

export const ended = (state: RandomChatState, data: ChatSkipped, me: number): Step => {
  const session = activeSession(state, data.sessionId);
  if (!session) return stay(state);
  const over = withLeft(state, data.sessionId);
  if (data.endedBy === me) return stay(toInitial(over));
  return stay({
    ...over,
    phase: 'skipped',
    endReason: data.reason,
    session: { ...withoutOpenGame(session), isPartnerTyping: false },
  });
};

export const vanished = (state: RandomChatState, sessionId: string): Step => {
  const session = activeSession(state, sessionId);
  if (!session) return stay(state);
  return stay({
    ...withLeft(state, sessionId),
    phase: 'skipped',
    endReason: 'disconnected',
    session: { ...withoutOpenGame(session), isPartnerTyping: false },
  });
};
