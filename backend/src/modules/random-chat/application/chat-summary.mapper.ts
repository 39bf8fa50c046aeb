import { type ChatLogEdges } from '../../../platform/hot-log/chat-log.repository';
import { readEvent } from './chat-event.codec';
import { type ChatFrame, endData } from './chat-frame.mapper';

/** What is known of a chat without reading all of it. */
export interface ChatSummary {
  readonly sessionId: string;
  /** Number of its events; 0 when there is no such chat, or not any more. */
  readonly version: number;
  /** Its two participants; none when the beginning is lost. */
  readonly userIds: readonly number[];
  readonly isEnded: boolean;
  /** What a client that has not seen the end is sent; null while the chat goes on. */
  readonly endFrame: EndFrame | null;
}

export type EndFrame = Extract<ChatFrame, { event: 'chat_skipped' }>;

/** A chat by its first and its last event: nothing follows an end. */
export const summaryOf = (sessionId: string, { version, first, last }: ChatLogEdges): ChatSummary => {
  const started = first && readEvent(first.text).event;
  const ended = last && readEvent(last.text).event;
  const endFrame: EndFrame | null =
    ended?.type === 'ChatEnded'
      ? { event: 'chat_skipped', data: endData(sessionId, version, ended.data) }
      : null;
  const userIds = started?.type === 'ChatStarted' ? started.data.userIds : [];
  return { sessionId, version, userIds, isEnded: endFrame !== null, endFrame };
};
