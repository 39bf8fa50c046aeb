import { type ClientInput } from '@thaw/contract/client-frames';
import { type ChatMatched, type ChatSkipped } from '@thaw/contract/random-chat';
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
export const rememberLeftSession = (state: RandomChatState, sessionId: string): RandomChatState => ({
  ...state,
  leftSessionIds: [...state.leftSessionIds.filter((id) => id !== sessionId), sessionId].slice(
    -maxLeftSessions,
  ),
});

/** Resets everything that belongs to a search or a chat, as on the initial screen. */
export const toInitial = (state: RandomChatState): RandomChatState => ({
  ...state,
  phase: 'initial',
  searchingSince: null,
  anyoneMatches: true, // until the server reports that no compatible user is waiting
  session: null,
  endReason: null,
});

const toSearching = (state: RandomChatState, searchingSince: number): RandomChatState => ({
  ...toInitial(state),
  phase: 'searching',
  searchingSince,
});

/** The session as the skipped screen needs it: no open game, no typing partner. */
const closeSession = (session: Session): Session => ({ ...closeOpenGame(session), isPartnerTyping: false });

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

/** Starts a search from the initial screen, to which the skipped screen returns first. */
export const startSearch = (state: RandomChatState, nowMs: number): Step =>
  state.phase === 'initial'
    ? stepTo({ ...toSearching(state, nowMs), isLeavePending: false }, createJoinQueueEffect(state.preference))
    : stepTo(state);

/**
 * Cancels the search. Until the server acknowledges `leave_queue`, the flag `isLeavePending` makes the page decline a
 * match and ignore `queue_joined`.
 */
export const cancelSearch = (state: RandomChatState): Step =>
  state.phase === 'searching'
    ? stepTo({ ...toInitial(state), isLeavePending: true }, leaveQueueEffect)
    : stepTo(state);

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
      // A search survives a lost connection (A45).
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
  return stepTo({
    ...toSearching(state, Number.isNaN(sinceMs) ? nowMs : sinceMs),
    preference: preferences,
  });
};

/** Opens the chat. A client in the phase `initial` or `skipped` did not request the match and declines it (A43). */
export const handleChatMatched = (state: RandomChatState, data: ChatMatched, nowMs: number): Step => {
  const { sessionId, seq, partnerInfo } = data;
  if (state.session?.sessionId === sessionId || state.leftSessionIds.includes(sessionId)) {
    return stepTo(state);
  }
  // In the phase `active`, another tab has requested the match, and this page has missed the end of its chat.
  const isWanted = (state.phase === 'searching' || state.phase === 'active') && !state.isLeavePending;
  if (!isWanted) return stepTo(rememberLeftSession(state, sessionId), createSkipChatEffect(sessionId));
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

/** Shows that the chat has ended. A chat that the user has ended in another tab closes without the skipped screen. */
export const handleChatSkipped = (
  state: RandomChatState,
  { sessionId, reason, endedBy }: ChatSkipped,
  ownUserId: number,
): Step => {
  const session = findActiveSession(state, sessionId);
  if (!session) return stepTo(state);
  const next = rememberLeftSession(state, sessionId);
  if (endedBy === ownUserId) return stepTo(toInitial(next));
  return stepTo({ ...next, phase: 'skipped', endReason: reason, session: closeSession(session) });
};

/** Closes the chat with a partner whom the user has blocked. The server ends the chat, so no `skip_chat` is sent. */
export const handleBlockChanged = (
  state: RandomChatState,
  { userId, isBlocked }: ServerData<'block_changed'>,
): Step =>
  isBlocked && state.session?.partner.id === userId
    ? stepTo(toInitial(rememberLeftSession(state, state.session.sessionId)))
    : stepTo(state);

/** Shows a chat that the server does not have any more as ended by a lost connection. */
export const handleSessionVanished = (state: RandomChatState, sessionId: string): Step => {
  const session = findActiveSession(state, sessionId);
  if (!session) return stepTo(state);
  return stepTo({
    ...rememberLeftSession(state, sessionId),
    phase: 'skipped',
    endReason: 'disconnected',
    session: closeSession(session),
  });
};
