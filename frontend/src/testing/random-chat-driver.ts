import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import {
  createInitialState,
  type Action,
  type Effect,
  type RandomChatState,
} from '@/features/random-chat/reducer/random-chat.state';
import { aPartner } from '@/testing/factories';

/** Id of the signed-in user. */
export const me = 7;
export const partner = aPartner();
/** The time at which the driver receives its frames. */
export const receivedAtMs = Date.parse('2026-11-20T12:00:00.000Z');
/** A time `offsetMs` after `receivedAtMs`, in ISO 8601. */
export const formatIsoAtOffset = (offsetMs = 0): string => new Date(receivedAtMs + offsetMs).toISOString();

/** Applies actions and frames to the random-chat reducer. `effects` are those of the last action or frame. */
export class ChatDriver {
  state: RandomChatState = createInitialState();
  effects: readonly Effect[] = [];

  dispatch(action: Action): this {
    const step = reduce(this.state, action);
    this.state = step.state;
    this.effects = step.effects;
    return this;
  }

  receiveFrame(frame: ServerFrame): this {
    return this.dispatch({ type: 'frameReceived', frame, me, nowMs: receivedAtMs });
  }

  receive<E extends ServerEvent>(event: E, data: ServerData<E>): this {
    return this.receiveFrame({ event, data } as ServerFrame);
  }

  /** The texts of all messages, the welcome message included. */
  get texts(): string[] {
    return this.state.session?.messages.map(({ content }) => content) ?? [];
  }
}

// Drivers in each phase of a random chat.

export const driveToInitial = (): ChatDriver => new ChatDriver();

export const driveToSearching = (): ChatDriver =>
  driveToInitial().dispatch({ type: 'findPressed', nowMs: receivedAtMs });

export const driveToActive = (): ChatDriver =>
  driveToSearching().receive('chat_matched', createChatMatchedData());

export const driveToSkippedByPartner = (): ChatDriver =>
  driveToActive().receive('chat_skipped', {
    sessionId: 's1',
    seq: 2,
    reason: 'skipped',
    endedBy: partner.id,
  });

// Data of frames, and the action of an ack.

export const createChatMatchedData = (sessionId = 's1'): ServerData<'chat_matched'> => ({
  sessionId,
  seq: 1,
  partnerId: partner.id,
  partnerInfo: partner,
});

/** The data of the frame `random_message`, with a message from the partner. */
export const createMessageData = (
  seq: number,
  content: string,
  changes: Partial<ServerData<'random_message'>> = {},
): ServerData<'random_message'> => ({
  sessionId: 's1',
  seq,
  id: `${receivedAtMs}-${seq}`,
  senderId: partner.id,
  content,
  type: 'text',
  timestamp: formatIsoAtOffset(seq), // later than that of a lower `seq`
  replyTo: null,
  ...changes,
});

/** The action with the server's ack of a message that the user has sent. */
export const createAckAction = (
  clientId: string,
  content: string,
  seq: number,
  sessionId = 's1',
): Action => ({
  type: 'messageAcknowledged',
  sessionId,
  message: { clientId, senderId: me, content, type: 'text', replyTo: null },
  ack: { id: `${receivedAtMs}-${seq}`, seq, timestamp: formatIsoAtOffset(seq), clientId },
});

export const createSessionResumedData = (
  changes: Partial<ServerData<'session_resumed'>> = {},
): ServerData<'session_resumed'> => ({
  sessionId: 's1',
  seq: 1,
  partnerId: partner.id,
  partnerInfo: partner,
  partnerConnection: 'connected',
  events: [],
  last: true,
  ...changes,
});

// Effects that send a command.

export const createJoinEffect = (preferences: 'both' | 'male' | 'female' = 'both'): Effect => ({
  type: 'send',
  event: 'join_queue',
  data: { preferences },
});
export const leaveEffect: Effect = { type: 'send', event: 'leave_queue', data: {} };
export const createSkipEffect = (sessionId: string): Effect => ({
  type: 'send',
  event: 'skip_chat',
  data: { sessionId },
});
