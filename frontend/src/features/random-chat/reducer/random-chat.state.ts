import { type RandomMessageAck } from '@thaw/contract/acks';
import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { type EndReason, type PartnerInfo, type ReplyTo } from '@thaw/contract/random-chat';
import { type MessageType, type Preference } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type Celebrated, type GameAction } from '@/features/random-chat/icebreaker/game';

/** State, actions and effects of the random chat (specification §4). */

export type Phase = 'initial' | 'searching' | 'skipped' | 'active';

/** An edit or a reaction by the user, shown before the server has answered. */
export type Change =
  | { changeId: string; kind: 'edit'; newContent: string }
  | { changeId: string; kind: 'reaction'; emoji: string; action: 'add' | 'remove'; userId: number };

export type Confirmed = Pick<ChatMessage, 'content' | 'isEdited' | 'reactions'>;

export interface UnconfirmedMessage {
  confirmed: Confirmed;
  changes: readonly Change[];
}

export interface Session {
  sessionId: string;
  /** Version of the session's stream that is shown here. */
  seq: number;
  /** A frame was missed and has been requested again. */
  isResyncing: boolean;
  partner: PartnerInfo;
  partnerConnection: 'connected' | 'reconnecting';
  isPartnerTyping: boolean;
  messages: readonly ChatMessage[];
  /** The game that has just been revealed, while its effect is shown. */
  celebrates: Celebrated | null;
  /** By message id: the user's edits and reactions that the server has not answered yet. */
  unconfirmed: Readonly<Record<string, UnconfirmedMessage>>;
}

export interface RandomChatState {
  phase: Phase;
  preference: Preference;
  /** Milliseconds since the epoch by the server's clock; estimated locally until the server's value arrives. */
  searchingSince: number | null;
  /** From `queue_status`: false when no waiting user is compatible. */
  anyoneMatches: boolean;
  /** Set in *active*, and in *skipped* until New Conversation (A58). */
  session: Session | null;
  endReason: EndReason | null;
  /** Sessions that this client has left, newest last. Their late frames are declined. */
  left: readonly string[];
  /** The search was cancelled, and the server has not acknowledged `leave_queue` yet (A46). */
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
  | GameAction
  | { type: 'preferenceChosen'; preference: Preference }
  | { type: 'findPressed'; at: number }
  | { type: 'cancelPressed' }
  | { type: 'leaveAcknowledged' }
  | { type: 'skipConfirmed'; at: number }
  | { type: 'newConversationPressed' }
  /** The server refused `join_queue`. */
  | { type: 'searchRefused' }
  /** The user went to another page or signed out. */
  | { type: 'chatLeft' }
  /** The server has stored a message of the user. */
  | { type: 'acknowledged'; sessionId: string; message: SentMessage; ack: RandomMessageAck }
  | { type: 'reactionToggled'; changeId: string; messageId: string; emoji: string; me: number }
  | { type: 'editSaved'; changeId: string; messageId: string; newContent: string; me: number }
  /** The ack of the user's edit or reaction, converted to the frame that the partner and other tabs receive. */
  | {
      type: 'changeStored';
      changeId: string;
      messageId: string;
      frame: Extract<ServerFrame, { event: 'message_edited' | 'message_reaction' }>;
      me: number;
    }
  /** Refused or unanswered: the change, which was shown at once, is undone. */
  | { type: 'changeFailed'; sessionId: string; changeId: string; messageId: string }
  | { type: 'connectionGivenUp' }
  | { type: 'typingExpired' }
  /** The server has no chat for the user any more and has not reported how it ended. */
  | { type: 'sessionVanished'; sessionId: string }
  | { type: 'received'; frame: ServerFrame; me: number; at: number };

type Send<E extends ClientEvent = ClientEvent> = {
  [K in E]: { type: 'send'; event: K; data: ClientInput<K> };
}[E];

/** The user's message as it was sent. */
export interface SentMessage {
  clientId: string;
  senderId: number;
  content: string;
  type: MessageType;
  replyTo: ReplyTo | null;
}

export type Effect =
  | Send<'join_queue' | 'leave_queue' | 'skip_chat'>
  /** The session is resumed: the user's messages without an ack are sent again. */
  | { type: 'deliverAll'; sessionId: string }
  /** The server has lost the message of an edit; the edit's text must not be lost. */
  | { type: 'returnEdit'; sessionId: string; messageId: string; newContent: string }
  | { type: 'react'; changeId: string; data: ClientInput<'message_reaction'> }
  | { type: 'edit'; changeId: string; data: ClientInput<'message_edit'> }
  /** A frame is missing: request everything after `seq`. */
  | { type: 'resync' }
  | { type: 'expireTyping' }
  | { type: 'expectEnd'; sessionId: string };

export interface Step {
  state: RandomChatState;
  effects: readonly Effect[];
}

export const stay = (state: RandomChatState): Step => ({ state, effects: [] });
export const to = (state: RandomChatState, ...effects: Effect[]): Step => ({ state, effects });

export const withSession = (state: RandomChatState, change: Partial<Session>): RandomChatState =>
  state.session ? { ...state, session: { ...state.session, ...change } } : state;

/** The session of a frame or an ack, if it is the one on the screen. */
export const activeSession = (state: RandomChatState, sessionId: string): Session | null =>
  state.phase === 'active' && state.session?.sessionId === sessionId ? state.session : null;

/** A gap in the stream: requests the missing events once. */
export const missed = (state: RandomChatState, session: Session): Step =>
  session.isResyncing ? stay(state) : to(withSession(state, { isResyncing: true }), { type: 'resync' });
