import { type ServerData, type ServerFrame } from '@thaw/contract/server-frames';
import { handleGameAction } from '@/features/random-chat/icebreaker/game-moves';
import {
  handleChangeFailed,
  handleChangeStored,
  handleMessageAck,
  saveEdit,
  toggleReaction,
} from '@/features/random-chat/reducer/own-messages';
import {
  cancelSearch,
  handleAuthenticated,
  handleBlockChanged,
  handleChatMatched,
  handleChatSkipped,
  handleQueueJoined,
  handleSessionVanished,
  leaveSearchOrChat,
  returnToInitialFrom,
  skipAndSearch,
  startSearch,
} from '@/features/random-chat/reducer/phases';
import {
  findActiveSession,
  patchSession,
  stepTo,
  type Action,
  type RandomChatState,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';
import { handleSessionResumed } from '@/features/random-chat/reducer/resume';
import { handleStoredEvent } from '@/features/random-chat/reducer/stored-events';

const handleQueueStatus = (
  state: RandomChatState,
  { anyoneMatches, waitedMs }: ServerData<'queue_status'>,
  nowMs: number,
): Step => {
  if (state.phase !== 'searching') return stepTo(state);
  return stepTo({ ...state, anyoneMatches, searchingSince: nowMs - waitedMs });
};

const handlePartnerConnection = (
  state: RandomChatState,
  { sessionId, state: partnerConnection }: ServerData<'partner_connection'>,
): Step => {
  if (!findActiveSession(state, sessionId)) return stepTo(state);
  // After a lost connection, it is unknown whether the partner is still typing.
  return stepTo(patchSession(state, { partnerConnection, isPartnerTyping: false }));
};

/** A `typing` frame of a private chat has no session id and changes nothing. */
const handleTyping = (state: RandomChatState, { sessionId = '', userId }: ServerData<'typing'>): Step => {
  const session = findActiveSession(state, sessionId);
  if (session?.partner.id !== userId) return stepTo(state);
  return stepTo(patchSession(state, { isPartnerTyping: true }), { type: 'restartTypingTimer' });
};

/** Handles a frame of the server; `me` is the id of the signed-in user. */
const handleFrame = (state: RandomChatState, frame: ServerFrame, me: number, nowMs: number): Step => {
  switch (frame.event) {
    case 'authenticated':
      return handleAuthenticated(state, frame.data.state);
    case 'queue_joined':
      return handleQueueJoined(state, frame.data, nowMs);
    case 'queue_left':
      return returnToInitialFrom(state, 'searching');
    case 'queue_status':
      return handleQueueStatus(state, frame.data, nowMs);
    case 'chat_matched':
      return handleChatMatched(state, frame.data, nowMs);
    case 'session_resumed':
      return handleSessionResumed(state, frame.data, me, nowMs);
    case 'chat_skipped':
      return handleChatSkipped(state, frame.data, me);
    case 'block_changed':
      return handleBlockChanged(state, frame.data);
    // Stored events of the session. `session_advanced` stands for an event of which this client receives no frame.
    case 'session_advanced':
    case 'random_message':
    case 'message_reaction':
    case 'message_edited':
    case 'break_ice_question_received':
    case 'break_ice_partner_responded_waiting':
    case 'break_ice_partner_answered':
    case 'break_ice_reveal_results':
    case 'break_ice_ignored':
      return findActiveSession(state, frame.data.sessionId)
        ? handleStoredEvent(state, frame.data.seq, frame, me)
        : stepTo(state);
    case 'partner_connection':
      return handlePartnerConnection(state, frame.data);
    case 'typing':
      return handleTyping(state, frame.data);
    default:
      return stepTo(state);
  }
};

/**
 * The random chat as a pure function. An action, such as a click of the user or a frame of the server, and the current
 * state give the next state and the effects to perform (docs/product-decisions.md, A41 to A61 and A86 to A92).
 */
export const reduce = (state: RandomChatState, action: Action): Step => {
  switch (action.type) {
    case 'preferenceChosen':
      return stepTo(state.phase === 'initial' ? { ...state, preference: action.preference } : state);
    case 'findPressed':
      return startSearch(state, action.nowMs);
    case 'cancelPressed':
      return cancelSearch(state);
    case 'leaveAcknowledged':
      return stepTo(state.isLeavePending ? { ...state, isLeavePending: false } : state);
    case 'searchRefused':
      return returnToInitialFrom(state, 'searching');
    case 'skipConfirmed':
      return skipAndSearch(state, action.nowMs);
    case 'newConversationPressed':
      return returnToInitialFrom(state, 'skipped');
    case 'pageLeft':
      return leaveSearchOrChat(state);
    case 'messageAcknowledged':
      return handleMessageAck(state, action.sessionId, action.message, action.ack);
    case 'reactionToggled':
      return toggleReaction(state, action);
    case 'editSaved':
      return saveEdit(state, action);
    case 'changeStored':
      return handleChangeStored(state, action);
    case 'changeFailed':
      return handleChangeFailed(state, action);
    case 'gameMoved':
    case 'gameMoveFailed':
    case 'celebrationEnded':
      return handleGameAction(state, action);
    // Without a connection, it is unknown whether the partner is typing.
    case 'connectionGivenUp':
    case 'typingExpired':
      return stepTo(patchSession(state, { isPartnerTyping: false }));
    case 'sessionVanished':
      return handleSessionVanished(state, action.sessionId);
    case 'frameReceived':
      return handleFrame(state, action.frame, action.me, action.nowMs);
  }
};
