import { type FirstAndLastEntries } from '../../../platform/hot-log/chat-log.repository';
import { decodeEvent } from './chat-event.codec';
import { type ChatFrame, toEndData } from './chat-frame.mapper';

/** The facts about a chat that its first and its last event contain. */
export interface ChatSummary {
  readonly sessionId: string;
  /** Number of events; 0 when the chat does not exist or was deleted. */
  readonly version: number;
  /** The two participants; empty when the first event does not exist or cannot be decoded. */
  readonly userIds: readonly number[];
  readonly isEnded: boolean;
  /** The frame for a client that has not seen the end; null while the chat is open. */
  readonly endFrame: EndFrame | null;
}

/** A chat of version 0 has no events in Redis, so it is over. */
export const isOpenChat = ({ version, isEnded }: ChatSummary): boolean => version > 0 && !isEnded;

/** `chat_skipped` reports every end of a chat, with its reason. */
export type EndFrame = Extract<ChatFrame, { event: 'chat_skipped' }>;

/** Builds a summary from the first and the last event. `ChatEnded` is always the last event of its chat. */
export const summariseChat = (
  sessionId: string,
  { version, first, last }: FirstAndLastEntries,
): ChatSummary => {
  const firstEvent = first && decodeEvent(first.text).event;
  const lastEvent = last && decodeEvent(last.text).event;
  const endFrame: EndFrame | null =
    lastEvent?.type === 'ChatEnded'
      ? { event: 'chat_skipped', data: toEndData(sessionId, version, lastEvent.data) }
      : null;
  const userIds = firstEvent?.type === 'ChatStarted' ? firstEvent.data.userIds : [];
  return { sessionId, version, userIds, isEnded: endFrame !== null, endFrame };
};
