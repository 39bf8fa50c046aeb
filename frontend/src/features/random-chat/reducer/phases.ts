import { type ClientInput } from '@thaw/contract/client-frames';
import { type ChatMatched, type ChatSkipped, type EndReason } from '@thaw/contract/random-chat';
import { SYSTEM_SENDER_ID, type Preference } from '@thaw/contract/scalars';
import { type ServerData } from '@thaw/contract/server-frames';
import { type PublicUser } from '@thaw/contract/users';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/features/random-chat/copy';
import { closeOpenGame } from '@/features/random-chat/icebreaker/game-events';
import {
  findActiveSession,
  stepTo,
  type Effect,
  type Phase,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';

// Transitions between the phases initial, searching, active and skipped (docs/product-decisions.md, A41 to A61).

export const createJoinQueueEffect = (preferences: Preference): Effect => ({
  type: 'send',
  event: 'join_queue',
  data: { preferences },
});

const leaveQueueEffect: Effect = { type: 'send', event: 'leave_queue', data: {} };

export const createSkipChatEffect = (sessionId: string): Effect => {
  const data: ClientInput<'skip_chat'> = { sessionId };
  return { type: 'send', event: 'skip_chat', data };
};

/** Late frames belong to sessions left a moment ago, so only the newest ids are kept. */
const maxLeftSessions = 8;

/** Remembers a session as left, so that its late frames do not open it again. */
export const rememberLeftSession = (state: RandomChatState, sessionId: string): RandomChatState => {
  const otherIds = state.leftSessionIds.filter((id) => id !== sessionId);
  return { ...state, leftSessionIds: [...otherIds, sessionId].slice(-maxLeftSessions) };
};

/** Resets everything that belongs to a search or a chat. The preference, the left sessions and a pending leave stay. */
export const toInitial = (state: RandomChatState): RandomChatState => ({
  ...state,
  phase: 'initial',
  searchingSince: null,
  anyoneMatches: true, // until the server reports that no compatible user is waiting
  session: null,
  endReason: null,
});

/** Returns to the initial screen from one phase. In another phase, the cause comes too late and changes nothing. */
export const returnToInitialFrom = (state: RandomChatState, phase: Phase): Step =>
  stepTo(state.phase === phase ? toInitial(state) : state);

const toSearching = (state: RandomChatState, searchingSince: number): RandomChatState => ({
  ...toInitial(state),
  phase: 'searching',
  searchingSince,
});

/** Ends the chat of a session, which the skipped screen still shows: without an open game or a typing partner. */
const toSkipped = (state: RandomChatState, session: Session, endReason: EndReason): RandomChatState => ({
  ...rememberLeftSession(state, session.sessionId),
  phase: 'skipped',
  endReason,
  session: { ...closeOpenGame(session), isPartnerTyping: false },
});

/** The first message of a chat. It is not a stored event, so each tab creates its own. */
export const createWelcomeNotice = (partner: PublicUser, sessionId: string, nowMs: number): ChatMessage => ({
  id: `welcome-${sessionId}`,
  key: `welcome-${sessionId}`,
  senderId: SYSTEM_SENDER_ID,
  content: copy.active.welcome(partner.username),
  type: 'text',
  timestamp: nowMs,
  replyTo: null,
  reactions: {},
  isEdited: false,
  delivery: 'sent',
});

// Actions of the user.

/** Starts a search. Only the initial screen has a button for it. */
export const startSearch = (state: RandomChatState, nowMs: number): Step => {
  if (state.phase !== 'initial') return stepTo(state);
  const searching = { ...toSearching(state, nowMs), isLeavePending: false };
  return stepTo(searching, createJoinQueueEffect(state.preference));
};

/**
 * Cancels the search. Until the server acknowledges `leave_queue`, the flag `isLeavePending` makes the page decline a
 * match and ignore `queue_joined`.
 */
export const cancelSearch = (state: RandomChatState): Step => {
  if (state.phase !== 'searching') return stepTo(state);
  return stepTo({ ...toInitial(state), isLeavePending: true }, leaveQueueEffect);
};

/** Leaves the chat and searches for the next partner. */
export const skipAndSearch = (state: RandomChatState, nowMs: number): Step => {
  if (state.phase !== 'active' || !state.session) return stepTo(state);
  const { sessionId } = state.session;
  return stepTo(
    toSearching(rememberLeftSession(state, sessionId), nowMs),
    createSkipChatEffect(sessionId),
    createJoinQueueEffect(state.preference),
  );
};

/** Ends the search or the chat when the user leaves the page or signs out. */
export const leaveSearchOrChat = (state: RandomChatState): Step => {
  if (state.phase === 'searching') return cancelSearch(state);
  if (state.phase !== 'active' || !state.session) return stepTo(toInitial(state));
  const { sessionId } = state.session;
  return stepTo(toInitial(rememberLeftSession(state, sessionId)), createSkipChatEffect(sessionId));
};

// Frames of the server.

/** Adapts the phase on the screen to the state that the server reports after each `authenticate`. */
export const handleAuthenticated = (
  state: RandomChatState,
  serverState: ServerData<'authenticated'>['state'],
): Step => {
  switch (serverState) {
    case 'idle':
      // A search continues after a lost connection, so the page joins the queue again (A45).
      if (state.phase === 'searching') return stepTo(state, createJoinQueueEffect(state.preference));
      // The chat has ended; `chat_skipped` normally follows and contains the reason.
      if (state.phase === 'active' && state.session) {
        return stepTo(state, { type: 'awaitChatEnd', sessionId: state.session.sessionId });
      }
      // The user is not in the queue, so there is nothing to leave.
      return stepTo({ ...state, isLeavePending: false });
    case 'searching':
      // The server has not received the `leave_queue` that was sent on cancelling (A46).
      if (state.isLeavePending) return stepTo(state, leaveQueueEffect);
      // In another tab, the user has left the chat and is searching again; `queue_joined` follows.
      if (state.phase === 'active') return stepTo(toInitial(state));
      return stepTo(state);
    case 'chatting':
      // `session_resumed` follows.
      return stepTo(state);
  }
};

/**
 * Shows a search that the user has started in this tab or another one, unless the user has cancelled it here or a chat
 * is on the screen.
 */
export const handleQueueJoined = (
  state: RandomChatState,
  { preferences, since }: ServerData<'queue_joined'>,
  nowMs: number,
): Step => {
  if (state.isLeavePending || state.phase === 'active') return stepTo(state);
  const sinceMs = Date.parse(since);
  const searchingSince = Number.isNaN(sinceMs) ? nowMs : sinceMs;
  return stepTo({ ...toSearching(state, searchingSince), preference: preferences });
};

/** Opens the chat. A client in the phase `initial` or `skipped` did not request the match and declines it (A43). */
export const handleChatMatched = (state: RandomChatState, data: ChatMatched, nowMs: number): Step => {
  const { sessionId, seq, partnerInfo } = data;
  const isKnownSession = state.session?.sessionId === sessionId || state.leftSessionIds.includes(sessionId);
  if (isKnownSession) return stepTo(state);
  // In the phase `active`, another tab has requested the match, and this page has missed the end of its chat.
  const isRequested = state.phase === 'searching' || state.phase === 'active';
  if (!isRequested || state.isLeavePending)
    return stepTo(rememberLeftSession(state, sessionId), createSkipChatEffect(sessionId));
  return stepTo({
    ...toInitial(state),
    phase: 'active',
    session: {
      sessionId,
      seq,
      isResyncing: false,
      partner: partnerInfo,
      partnerConnection: 'connected',
      isPartnerTyping: false,
      messages: [createWelcomeNotice(partnerInfo, sessionId, nowMs)],
      celebratedGame: null, // set while a visual effect celebrates a revealed game
      unconfirmedMessages: {},
    },
  });
};

/**
 * Shows that the chat has ended. A chat that the user has ended in another tab closes without the skipped screen.
 * @param me id of the signed-in user
 */
export const handleChatSkipped = (
  state: RandomChatState,
  { sessionId, reason, endedBy }: ChatSkipped,
  me: number,
): Step => {
  const session = findActiveSession(state, sessionId);
  if (!session) return stepTo(state);
  if (endedBy === me) return stepTo(toInitial(rememberLeftSession(state, sessionId)));
  return stepTo(toSkipped(state, session, reason));
};

/** Closes the chat with a partner whom the user has blocked. The server ends the chat, so no `skip_chat` is sent. */
export const handleBlockChanged = (
  state: RandomChatState,
  { userId, isBlocked }: ServerData<'block_changed'>,
): Step => {
  if (!isBlocked || state.session?.partner.id !== userId) return stepTo(state);
  return stepTo(toInitial(rememberLeftSession(state, state.session.sessionId)));
};

/** Shows a chat that the server does not have any more as ended by a lost connection. */
export const handleSessionVanished = (state: RandomChatState, sessionId: string): Step => {
  const session = findActiveSession(state, sessionId);
  return stepTo(session ? toSkipped(state, session, 'disconnected') : state);
};
