import { limits } from '@thaw/contract/limits';
import type { EventLoopLimiter } from '../../../platform/realtime/event-loop.limiter';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { findPartner } from '../domain/random-chat.state';
import type { LiveChat } from './live-chat.model';

/**
 * Maximum size of a page (a `session_resumed` frame) without its events. The size has a maximum because the length of
 * the partner's name and avatar is limited.
 */
const PAGE_FRAME_BYTES = 2_048;
const PAGE_EVENT_BYTES = limits.resumeFrameMaxBytes - PAGE_FRAME_BYTES;

/**
 * Number of pages of a resume; 0 when there is nothing to send. It is approximate, because it is computed from the size
 * of the stored events, not of the frames.
 * @param seenVersion version that the client has seen; if the chat has fewer events (Redis lost some), all are sent.
 */
export const countResumePages = (chat: LiveChat, seenVersion: number): number =>
  Math.ceil(chat.measureBytesAfter(seenVersion > chat.version ? 0 : seenVersion) / PAGE_EVENT_BYTES);

/** Sends each event of a chat that has just started as its own frame, then attaches the socket. */
export const sendAllEvents = (chat: LiveChat, connection: SocketConnection): void => {
  const { userId } = connection.identity;
  for (let seq = 1; seq <= chat.version; seq += 1) connection.send(chat.renderPastFrame(seq, userId));
  const partner = findPartner(chat, userId);
  if (partner && !chat.isEnded && chat.isAway(partner.id))
    connection.sendFrame('partner_connection', { sessionId: chat.sessionId, state: 'reconnecting' });
  chat.attach(connection);
};

/**
 * Sends a socket the events that its client has not seen, as pages (`session_resumed` frames), and attaches the socket
 * to the chat with the last page. A page is built when the previous one has left this process, so a slow connection
 * holds one page in memory. Events that happen in the meantime are on a later page. If the socket closes before the
 * last page, the client later resumes after the pages that it has received.
 * @param seenVersion version that the client has seen. If the chat has fewer events (Redis lost some), all are sent
 * again.
 * @param eventLoop lets only one resume build a page in each iteration of the event loop.
 */
export const sendMissedEvents = async (
  chat: LiveChat,
  connection: SocketConnection,
  seenVersion: number,
  eventLoop: EventLoopLimiter,
): Promise<void> => {
  const { userId } = connection.identity;
  const partner = findPartner(chat, userId);
  if (!partner) return; // only for the type: a chat that a socket has joined has two participants
  // The socket is still attached if its client has noticed a gap. Events from here on are sent as part of a page.
  chat.detach(connection);
  const isReset = seenVersion > chat.version;
  let seq = isReset ? 0 : seenVersion;
  while (connection.isOpen) {
    const isFirstOfReset = isReset && seq === 0;
    const page = buildPageAfter(chat, seq, userId);
    seq = page.seq;
    const isLast = seq === chat.version;
    const isPartnerConnected = !chat.isAway(partner.id);
    const textWithoutEvents = JSON.stringify({
      sessionId: chat.sessionId,
      reset: isFirstOfReset ? true : undefined,
      seq,
      partnerId: partner.id,
      partnerInfo: { ...partner, isOnline: isPartnerConnected },
      partnerConnection: isPartnerConnected ? 'connected' : 'reconnecting',
      last: isLast,
    });
    // The frames are already serialised, so they are inserted into the text of the page.
    connection.send(
      `{"event":"session_resumed","data":${textWithoutEvents.slice(0, -1)},"events":[${page.frames.join(',')}]}}`,
    );
    if (isLast) {
      if (connection.isOpen) chat.attach(connection); // `send` closes the socket of a slow client
      return;
    }
    await connection.waitUntilDrained();
    await eventLoop.waitForIteration();
  }
};

/**
 * Builds the page after `seenSeq`.
 * @returns as many frames as fit on a page, but at least one if there are any, and the `seq` of the last frame.
 */
const buildPageAfter = (
  chat: LiveChat,
  seenSeq: number,
  userId: number,
): { frames: string[]; seq: number } => {
  const frames: string[] = [];
  let seq = seenSeq;
  let size = 0;
  while (seq < chat.version) {
    const frame = chat.renderPastFrame(seq + 1, userId);
    size += Buffer.byteLength(frame) + 1; // the comma after it
    if (size > PAGE_EVENT_BYTES && frames.length > 0) break;
    frames.push(frame);
    seq += 1;
  }
  return { frames, seq };
};
