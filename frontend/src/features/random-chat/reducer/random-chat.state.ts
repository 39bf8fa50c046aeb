import { type RandomMessageAck } from '@thaw/contract/acks';
import { type ClientEvent, type ClientInput } from '@thaw/contract/client-frames';
import { type EndReason, type ReplyTo } from '@thaw/contract/random-chat';
import { type MessageType, type Preference } from '@thaw/contract/scalars';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { type PublicUser } from '@thaw/contract/users';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type CelebratedGame, type GameAction } from '@/features/random-chat/icebreaker/game';

// State, actions and effects of the random chat, a one-to-one chat with a stranger. The user searches for a partner,
// and each match opens a session: one chat with one partner. Numbers such as A58 refer to docs/product-decisions.md.

/** In the phase `skipped`, the chat has ended (in any way, not only by a skip), and the page shows the reason. */
export type Phase = 'initial' | 'searching' | 'skipped' | 'active';

/** An edit or a reaction by the user, shown before the server has answered. This client creates the `changeId`. */
export type MessageChange =
  | { changeId: string; kind: 'edit'; newContent: string }
  | { changeId: string; kind: 'reaction'; emoji: string; action: 'add' | 'remove'; userId: number };

/** The parts of a message that edits and reactions change, as the server has stored them. */
export type ConfirmedContent = Pick<ChatMessage, 'content' | 'isEdited' | 'reactions'>;

/** A message with edits or reactions by the user that the server has not answered yet. */
export interface UnconfirmedMessage {
  confirmed: ConfirmedContent;
  /** In the order in which the user made them. */
  changes: readonly MessageChange[];
}

/** A chat as this page shows it. */
export interface Session {
  sessionId: string;
  /** Version of the session's event stream: the `seq` of the newest event that is applied here. */
  seq: number;
  /** Missing events have been requested from the server and have not all arrived yet. */
  isResyncing: boolean;
  partner: PublicUser;
  partnerConnection: 'connected' | 'reconnecting';
  isPartnerTyping: boolean;
  messages: readonly ChatMessage[];
  /** The game of Break the Ice whose answers have just been revealed; null when no visual effect is shown. */
  celebratedGame: CelebratedGame | null;
  /** Messages with unanswered edits or reactions, by message id. */
  unconfirmedMessages: Readonly<Record<string, UnconfirmedMessage>>;
}

export interface RandomChatState {
  phase: Phase;
  preference: Preference;
  /** Milliseconds since the epoch by the server's clock; estimated locally until the server's value arrives. */
  searchingSince: number | null;
  /** Whether a compatible user is waiting, from `queue_status`; true until the server reports it. */
  anyoneMatches: boolean;
  /** Set in the phase `active`, and in `skipped` until the user presses New Conversation (A58). */
  session: Session | null;
  /** Set in the phase `skipped`. */
  endReason: EndReason | null;
  /**
   * Sessions that this client has left, newest last. Their late frames are ignored, except `session_resumed`: it shows
   * that the server has not received `skip_chat`, which the client then sends again.
   */
  leftSessionIds: readonly string[];
  /**
   * The user cancelled the search, and the server has not acknowledged `leave_queue` yet. Until then a match that
   * arrives is declined, and `leave_queue` is sent again after a reconnect (A46).
   */
  isLeavePending: boolean;
}

export const createInitialState = (preference: Preference = 'both'): RandomChatState => ({
  phase: 'initial',
  preference,
  searchingSince: null,
  anyoneMatches: true,
  session: null,
  endReason: null,
  leftSessionIds: [],
  isLeavePending: false,
});

/** Something that happened. `me`: id of the signed-in user. `nowMs`: time in milliseconds since the epoch. */
export type Action =
  | GameAction
  | { type: 'preferenceChosen'; preference: Preference }
  | { type: 'findPressed'; nowMs: number }
  | { type: 'cancelPressed' }
  /** The server has acknowledged `leave_queue`. */
  | { type: 'leaveAcknowledged' }
  | { type: 'skipConfirmed'; nowMs: number }
  | { type: 'newConversationPressed' }
  /** The server refused `join_queue`. */
  | { type: 'searchRefused' }
  /** The user went to another page or signed out. */
  | { type: 'pageLeft' }
  /** The server has stored a message of the user. */
  | { type: 'messageAcknowledged'; sessionId: string; message: SentMessage; ack: RandomMessageAck }
  | { type: 'reactionToggled'; changeId: string; messageId: string; emoji: string; me: number }
  /** The user has finished an edit in the composer; the server has not stored it yet. */
  | { type: 'editSaved'; changeId: string; messageId: string; newContent: string; me: number }
  /** The server has stored an edit or reaction of the user; `frame` is what the partner and other tabs receive. */
  | {
      type: 'changeStored';
      changeId: string;
      messageId: string;
      frame: Extract<ServerFrame, { event: 'message_edited' | 'message_reaction' }>;
      me: number;
    }
  /** The server refused an edit or reaction, or did not answer it in time. */
  | { type: 'changeFailed'; sessionId: string; changeId: string; messageId: string }
  /** The client has stopped reconnecting. */
  | { type: 'connectionGivenUp' }
  | { type: 'typingExpired' }
  /** The server has no chat for the user any more, and has not reported in time how it ended. */
  | { type: 'sessionVanished'; sessionId: string }
  | { type: 'frameReceived'; frame: ServerFrame; me: number; nowMs: number };

/** A frame to the server. The type pairs each event with its data. */
type SendEffect<E extends ClientEvent = ClientEvent> = {
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

/** What the store does after an action has changed the state. */
export type Effect =
  | SendEffect<'join_queue' | 'leave_queue' | 'skip_chat'>
  /** After a reconnect to the session: send the user's unacknowledged messages again. */
  | { type: 'resendMessages'; sessionId: string }
  /** When an unanswered edit is withdrawn because the server has lost events: put its text into the composer. */
  | { type: 'returnEditToComposer'; sessionId: string; messageId: string; newContent: string }
  /** After a reaction or an edit by the user, and again after a reconnect without an answer: send it. */
  | { type: 'react'; changeId: string; data: ClientInput<'message_reaction'> }
  | { type: 'edit'; changeId: string; data: ClientInput<'message_edit'> }
  /** When the page has missed stored events: request those after the session's `seq`. */
  | { type: 'resync' }
  /** When the partner types: restart the timer that dispatches `typingExpired`. */
  | { type: 'restartTypingTimer' }
  /** When the server has no chat for the user: dispatch `sessionVanished` unless `chat_skipped` arrives in time. */
  | { type: 'awaitChatEnd'; sessionId: string };

/** The result of an action. */
export interface Step {
  state: RandomChatState;
  effects: readonly Effect[];
}

export const stepTo = (state: RandomChatState, ...effects: Effect[]): Step => ({ state, effects });

export const patchSession = (state: RandomChatState, change: Partial<Session>): RandomChatState =>
  state.session ? { ...state, session: { ...state.session, ...change } } : state;

/** The session with this id if it is the chat in progress on the screen; null for any other session. */
export const findActiveSession = (state: RandomChatState, sessionId: string): Session | null =>
  state.phase === 'active' && state.session?.sessionId === sessionId ? state.session : null;

/** Requests the events that the session is missing, unless they have been requested already. */
export const requestMissingEvents = (state: RandomChatState): Step =>
  state.session && !state.session.isResyncing
    ? stepTo(patchSession(state, { isResyncing: true }), { type: 'resync' })
    : stepTo(state);
