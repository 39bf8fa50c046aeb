import { type ServerFrame } from '@thaw/contract/server-frames';
import { played } from '@/features/random-chat/icebreaker/game-moves';
import {
  acknowledged,
  changeFailed,
  changeStored,
  connectionGivenUp,
  editSaved,
  reactionToggled,
} from '@/features/random-chat/reducer/own-messages';
import {
  authenticated,
  cancelled,
  ended,
  found,
  left,
  matched,
  queueJoined,
  skipped,
  toInitial,
  vanished,
} from '@/features/random-chat/reducer/phases';
import {
  activeSession,
  stay,
  to,
  withSession,
  type Action,
  type RandomChatState,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';
import { resumed } from '@/features/random-chat/reducer/resume';
import { store } from '@/features/random-chat/reducer/stored-events';

/**
 * The random chat as a pure function: an action of the user or a frame of the server, and the state, give the next
 * state and the effects to perform (specification §4, decisions A41 to A61, A86 to A92).
 */

const receive = (state: RandomChatState, frame: ServerFrame, me: number, at: number): Step => {
  switch (frame.event) {
    case 'authenticated':
      return authenticated(state, frame.data.state);
    case 'queue_joined':
      return queueJoined(state, frame.data, at);
    case 'queue_left':
      return stay(state.phase === 'searching' ? toInitial(state) : state);
    case 'queue_status':
      return stay(
        state.phase === 'searching'
          ? { ...state, anyoneMatches: frame.data.anyoneMatches, searchingSince: at - frame.data.waitedMs }
          : state,
      );
    case 'chat_matched':
      return matched(state, frame.data, at);
    case 'session_resumed':
      return resumed(state, frame.data, me, at);
    case 'chat_skipped':
      return ended(state, frame.data, me);
    case 'session_advanced':
    case 'random_message':
    case 'message_reaction':
    case 'message_edited':
    case 'break_ice_question_received':
    case 'break_ice_partner_responded_waiting':
    case 'break_ice_partner_answered':
    case 'break_ice_reveal_results':
    case 'break_ice_ignored':
      return activeSession(state, frame.data.sessionId)
        ? store(state, frame.data.seq, frame, me)
        : stay(state);
    case 'partner_connection':
      return activeSession(state, frame.data.sessionId)
        ? stay(withSession(state, { partnerConnection: frame.data.state, isPartnerTyping: false }))
        : stay(state);
    case 'typing': {
      const session = activeSession(state, frame.data.sessionId ?? '');
      return session && frame.data.userId === session.partner.id
        ? to(withSession(state, { isPartnerTyping: true }), { type: 'expireTyping' })
        : stay(state);
    }
    default:
      return stay(state);
  }
};

export const reduce = (state: RandomChatState, action: Action): Step => {
  switch (action.type) {
    case 'preferenceChosen':
      return stay(state.phase === 'initial' ? { ...state, preference: action.preference } : state);
    case 'findPressed':
      return found(state, action.at);
    case 'cancelPressed':
      return cancelled(state);
    case 'leaveAcknowledged':
      return stay(state.owesLeave ? { ...state, owesLeave: false } : state);
    case 'searchRefused':
      return stay(state.phase === 'searching' ? toInitial(state) : state);
    case 'skipConfirmed':
      return skipped(state, action.at);
    case 'newConversationPressed':
      return stay(state.phase === 'skipped' ? toInitial(state) : state);
    case 'chatLeft':
      return left(state);
    case 'acknowledged':
      return acknowledged(state, action.sessionId, action.message, action.ack);
    case 'reactionToggled':
      return reactionToggled(state, action);
    case 'editSaved':
      return editSaved(state, action);
    case 'changeStored':
      return changeStored(state, action.changeId, action.messageId, action.frame, action.me);
    case 'changeFailed':
      return changeFailed(state, action.sessionId, action.messageId, action.changeId);
    case 'gameMoved':
    case 'gameMoveFailed':
    case 'celebrated':
      return played(state, action);
    case 'connectionGivenUp':
      return connectionGivenUp(state);
    case 'typingExpired':
      return stay(withSession(state, { isPartnerTyping: false }));
    case 'sessionVanished':
      return vanished(state, action.sessionId);
    case 'received':
      return receive(state, action.frame, action.me, action.at);
  }
};
