import { reactionAckSchema, storedAckSchema } from '@thaw/contract/acks';
import { type ClientInput } from '@thaw/contract/client-frames';
import { type Outbox } from '@/chat-ui/outbox/outbox';
import { type Action, type Effect } from '@/features/random-chat/reducer/random-chat.state';
import { type RandomChatSocket } from '@/features/random-chat/stores/random-chat-socket';
import { isChatEndedError } from '@/features/random-chat/stores/random-outbox';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

type ChangeEvent = 'message_edit' | 'message_reaction';
/** The frame that the partner receives when the server has stored a change. */
type ChangeFrame = Extract<Action, { type: 'changeStored' }>['frame'];

/** An edit or a reaction of the user, as it is sent to the server. */
interface Change<E extends ChangeEvent> {
  changeId: string;
  event: E;
  data: ClientInput<E>;
  /** Returns undefined if the ack is invalid; the change then counts as failed. */
  toFrame: (ack: Record<string, unknown>) => ChangeFrame | undefined;
  /** Called after a failed change is undone, unless the chat has ended. */
  onFailed: (reason: 'too_fast' | 'not_saved', retryAfterMs?: number) => void;
}

export interface MessageChangesOptions {
  getSocket: () => RandomChatSocket;
  dispatch: (action: Action) => void;
  outbox: Pick<Outbox, 'notify' | 'keepUnsavedEdit'>;
}

/**
 * Sends edits and reactions, which the page shows before the response. If the connection is lost first, they stay
 * visible, and the reducer sends them again when the chat is resumed.
 */
export const createMessageChanges = ({ getSocket, dispatch, outbox }: MessageChangesOptions) => {
  const inFlightChangeIds = new Set<string>();

  const sendChange = <E extends ChangeEvent>({
    changeId,
    event,
    data,
    toFrame,
    onFailed,
  }: Change<E>): void => {
    if (inFlightChangeIds.has(changeId)) return;
    inFlightChangeIds.add(changeId);
    const { sessionId, messageId, userId } = data;
    const undo = (): void => dispatch({ type: 'changeFailed', sessionId, changeId, messageId });
    const undoAndReport: typeof onFailed = (reason, retryAfterMs) => {
      undo();
      onFailed(reason, retryAfterMs);
    };
    getSocket()
      .request(event, data, {
        onAck: (ack) => {
          const frame = toFrame(ack);
          if (!frame) return undoAndReport('not_saved');
          dispatch({ type: 'changeStored', changeId, messageId, frame, me: userId });
        },
      })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        const isConnectionLost = error.failure === 'closed' || error.failure === 'not_connected';
        // The reducer sends the change again when the chat is resumed.
        if (isConnectionLost) return;
        if (isChatEndedError(error)) {
          undo();
          getSocket().resync(); // fetches the end of the chat, which this page missed
          return;
        }
        undoAndReport(error.code === 'rate_limited' ? 'too_fast' : 'not_saved', error.retryAfterMs);
      })
      .finally(() => inFlightChangeIds.delete(changeId));
  };

  return {
    react: ({ changeId, data }: Extract<Effect, { type: 'react' }>): void =>
      sendChange({
        changeId,
        event: 'message_reaction',
        data,
        toFrame: (ack) => {
          const parsed = reactionAckSchema.safeParse(ack);
          if (!parsed.success) return undefined;
          return { event: 'message_reaction', data: { ...data, ...parsed.data } };
        },
        onFailed: (reason, retryAfterMs) => outbox.notify(data.sessionId, `reaction_${reason}`, retryAfterMs),
      }),

    edit: ({ changeId, data }: Extract<Effect, { type: 'edit' }>): void => {
      const { sessionId, messageId, newContent } = data;
      sendChange({
        changeId,
        event: 'message_edit',
        data,
        toFrame: (ack) => {
          const parsed = storedAckSchema.safeParse(ack);
          if (!parsed.success) return undefined;
          return {
            event: 'message_edited',
            data: { sessionId, messageId, newContent, seq: parsed.data.seq },
          };
        },
        onFailed: (reason, retryAfterMs) => {
          outbox.keepUnsavedEdit({ conversationId: sessionId, messageId, text: newContent });
          outbox.notify(sessionId, `edit_${reason}`, retryAfterMs);
        },
      });
    },
  };
};
