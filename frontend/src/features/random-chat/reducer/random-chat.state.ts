import { type RandomMessageAck } from '@thaw/contract/acks';
import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { type EndReason, type PartnerInfo, type ReplyTo } from '@thaw/contract/random-chat';
import { type MessageType, type Preference } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type Celebrated, type GameAction } from '@/features/random-chat/icebreaker/game';

/** What the random chat knows, what can happen to it and what it asks to be done (specification §4). */

export type Phase = 'initial' | 'searching' | 'skipped' | 'active';

/** An edit or a reaction of mine, shown before the server has answered. */
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
  /** A frame was missed and has been asked for. */
  isResyncing: boolean;
  partner: PartnerInfo;
  partnerConnection: 'connected' | 'reconnecting';
  isPartnerTyping: boolean;
  messages: readonly ChatMessage[];
  /** The game that has just been revealed, while its effect is on the screen. */
  celebrates: Celebrated | null;
  /** By message id: edits and reactions of mine that the server has not answered yet. */
  unconfirmed: Readonly<Record<string, UnconfirmedMessage>>;
}

export interface RandomChatState {
  phase: Phase;
  preference: Preference;
  /** Milliseconds since the epoch by the server's clock; from the server, or from here until that came. */
  searchingSince: number | null;
  /** From `queue_status`: false when nobody who waits fits. */
  anyoneMatches: boolean;
  /** In *active*, and in *skipped* until New Conversation (A58). */
  session: Session | null;
  endReason: EndReason | null;
  /** Sessions that this client has left, newest last: what still comes of them is declined. */
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
  /** The server did not take `join_queue`. */
  | { type: 'searchRefused' }
  /** Off to another page, or signed out. */
  | { type: 'chatLeft' }
  /** A message of mine is stored. */
  | { type: 'acknowledged'; sessionId: string; message: SentMessage; ack: RandomMessageAck }
  | { type: 'reactionToggled'; changeId: string; messageId: string; emoji: string; me: number }
  | { type: 'editSaved'; changeId: string; messageId: string; newContent: string; me: number }
  /** The ack of an edit or a reaction of mine, put as the frame that everybody else gets. */
  | {
      type: 'changeStored';
      changeId: string;
      messageId: string;
      frame: Extract<ServerFrame, { event: 'message_edited' | 'message_reaction' }>;
      me: number;
    }
  /** Refused or unanswered: what was shown at once is undone. */
  | { type: 'changeFailed'; sessionId: string; changeId: string; messageId: string }
  | { type: 'connectionGivenUp' }
  | { type: 'typingExpired' }
  /** The server knows no chat of mine any more and has not said how it ended. */
  | { type: 'sessionVanished'; sessionId: string }
  | { type: 'received'; frame: ServerFrame; me: number; at: number };

type Send<E extends ClientEvent = ClientEvent> = {
  [K in E]: { type: 'send'; event: K; data: ClientInput<K> };
}[E];

/** A message of mine as it was sent. */
export interface SentMessage {
  clientId: string;
  senderId: number;
  content: string;
  type: MessageType;
  replyTo: ReplyTo | null;
}

export type Effect =
  | Send<'join_queue' | 'leave_queue' | 'skip_chat'>
  /** The session is resumed: messages of mine without an ack are sent again. */
  | { type: 'deliverAll'; sessionId: string }
  /** The message of an edit is gone for the server; its text must not be lost. */
  | { type: 'returnEdit'; sessionId: string; messageId: string; newContent: string }
  | { type: 'react'; changeId: string; data: ClientInput<'message_reaction'> }
  | { type: 'edit'; changeId: string; data: ClientInput<'message_edit'> }
  /** A frame is missing: ask for everything after `seq`. */
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

/** The session of a frame or an answer, while it is the one on the screen. */
export const activeSession = (state: RandomChatState, sessionId: string): Session | null =>
  state.phase === 'active' && state.session?.sessionId === sessionId ? state.session : null;

/** A hole in the stream: asked for once. */
export const missed = (state: RandomChatState, session: Session): Step =>
  session.isResyncing ? stay(state) : to(withSession(state, { isResyncing: true }), { type: 'resync' });
