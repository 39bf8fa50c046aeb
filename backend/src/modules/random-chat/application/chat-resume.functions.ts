import { limits } from '@thaw/contract/limits';
import type { EventLoopLimiter } from '../../../platform/realtime/event-loop.limiter';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { partnerOf } from '../domain/random-chat.state';
import type { LiveChat } from './live-chat.model';

/** What stands around the events of a page: the partner's name and avatar at their longest. */
const PAGE_FRAME_BYTES = 2_048;
const PAGE_EVENT_BYTES = limits.resumeFrameMaxBytes - PAGE_FRAME_BYTES;

/** About how many pages a resume from `seen` takes; 0 when there is nothing to send. */
export const resumePages = (chat: LiveChat, seen: number): number =>
  Math.ceil(chat.sizeAfter(seen > chat.version ? 0 : seen) / PAGE_EVENT_BYTES);

/** A socket is there from the beginning of a short chat: each event is a frame of its own. */
export const sendFromStart = (chat: LiveChat, connection: SocketConnection): void => {
  const { userId } = connection.identity;
  for (let seq = 1; seq <= chat.version; seq += 1) connection.send(chat.pastFrame(seq, userId));
  const partner = partnerOf(chat, userId);
  if (partner && !chat.isEnded && chat.isAway(partner.id))
    connection.sendFrame('partner_connection', { sessionId: chat.sessionId, state: 'reconnecting' });
  chat.attach(connection);
};

/**
 * Sends a socket what it has not seen, as pages of `session_resumed`, and attaches it with the last one. A page is made
 * when the one before has left this process, so that a slow line holds one page; what happens meanwhile is on a later
 * page. The socket may close in between: its client has seen all pages that arrived, and resumes after them.
 * @param seen version that the client has seen. More than there is (Redis has lost it): everything is sent again from the start.
 */
export const resume = async (
  chat: LiveChat,
  connection: SocketConnection,
  seen: number,
  eventLoop: EventLoopLimiter,
): Promise<void> => {
  const { userId } = connection.identity;
  const partner = partnerOf(chat, userId);
  if (!partner) return;
  // What happens from here on is on a page, until there is no further page.
  chat.leave(connection);
  const isReset = seen > chat.version;
  let seq = isReset ? 0 : seen;
  for (let isFirst = true; connection.isOpen; isFirst = false) {
    const page = pageAfter(chat, seq, userId);
    seq = page.seq;
    const isLast = seq === chat.version;
    const isThere = !chat.isAway(partner.id);
    const around = JSON.stringify({
      sessionId: chat.sessionId,
      reset: isReset && isFirst ? true : undefined,
      seq,
      partnerId: partner.id,
      partnerInfo: { ...partner, isOnline: isThere },
      partnerConnection: isThere ? 'connected' : 'reconnecting',
      last: isLast,
    });
    connection.send(
      `{"event":"session_resumed","data":${around.slice(0, -1)},"events":[${page.frames.join(',')}]}}`,
    );
    if (isLast) {
      if (connection.isOpen) chat.attach(connection);
      return;
    }
    await connection.drained();
    await eventLoop.nextIteration();
  }
};

/** The frames after a version that fit on a page: one at least, unless there is none. */
const pageAfter = (chat: LiveChat, from: number, userId: number): { frames: string[]; seq: number } => {
  const frames: string[] = [];
  let [seq, size] = [from, 0];
  while (seq < chat.version) {
    const frame = chat.pastFrame(seq + 1, userId);
    size += Buffer.byteLength(frame) + 1;
    if (size > PAGE_EVENT_BYTES && frames.length > 0) break;
    frames.push(frame);
    seq += 1;
  }
  return { frames, seq };
};
