import { reactionAckSchema, storedAckSchema } from '@thaw/contract/acks';
import { type ClientInput } from '@thaw/contract/client-frames';
import { type Outbox } from '@/chat-ui/outbox/outbox';
import { type Action, type Effect } from '@/features/random-chat/reducer/random-chat.state';
import { type RandomChatSocket } from '@/features/random-chat/stores/random-chat-socket';
import { isChatEndedError } from '@/features/random-chat/stores/random-outbox';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

type ChangeFrame = Extract<Action, { type: 'changeStored' }>['frame'];

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

  const sendChange = <E extends 'message_edit' | 'message_reaction'>(
    event: E,
    data: ClientInput<E>,
    changeId: string,
    /** Returns the frame that the partner receives; undefined if the ack is invalid. */
    toFrame: (ack: Record<string, unknown>) => ChangeFrame | undefined,
    onFailed: (reason: 'too_fast' | 'not_saved', retryAfterMs?: number) => void,
  ): void => {
    if (inFlightChangeIds.has(changeId)) return;
    inFlightChangeIds.add(changeId);
    const { sessionId, messageId, userId } = data;
    const undo = (): void => dispatch({ type: 'changeFailed', sessionId, changeId, messageId });
    const fail: typeof onFailed = (reason, retryAfterMs) => {
      undo();
      onFailed(reason, retryAfterMs);
    };
    getSocket()
      .request(event, data, {
        onAck: (ack) => {
          const frame = toFrame(ack);
          if (!frame) return fail('not_saved');
          dispatch({ type: 'changeStored', changeId, messageId, frame, me: userId });
        },
      })
      .catch((error: unknown) => {
        if (!(error instanceof SocketRequestError)) throw error;
        // The reducer sends the change again when the chat is resumed.
        if (error.failure === 'closed' || error.failure === 'not_connected') return;
        // `resync` requests the missed events. One of them is the end of the chat.
        if (isChatEndedError(error)) {
          undo();
          return getSocket().resync();
        }
        fail(error.code === 'rate_limited' ? 'too_fast' : 'not_saved', error.retryAfterMs);
      })
      .finally(() => inFlightChangeIds.delete(changeId));
  };

  return {
    react: ({ changeId, data }: Extract<Effect, { type: 'react' }>): void =>
      sendChange(
        'message_reaction',
        data,
        changeId,
        (ack) => {
          const parsed = reactionAckSchema.safeParse(ack);
          if (!parsed.success) return undefined;
          return { event: 'message_reaction', data: { ...data, ...parsed.data } };
        },
        (reason, retryAfterMs) => outbox.notify(data.sessionId, `reaction_${reason}`, retryAfterMs),
      ),

    edit: ({ changeId, data }: Extract<Effect, { type: 'edit' }>): void => {
      const { sessionId, messageId, newContent } = data;
      sendChange(
        'message_edit',
        data,
        changeId,
        (ack) => {
          const parsed = storedAckSchema.safeParse(ack);
          if (!parsed.success) return undefined;
          return {
            event: 'message_edited',
            data: { sessionId, messageId, newContent, seq: parsed.data.seq },
          };
        },
        (reason, retryAfterMs) => {
          outbox.keepUnsavedEdit({ conversationId: sessionId, messageId, text: newContent });
          outbox.notify(sessionId, `edit_${reason}`, retryAfterMs);
        },
      );
    },
  };
};
