import { limits } from '@thaw/contract/limits';
import type { EventLoopLimiter } from '../../../platform/realtime/event-loop.limiter';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import type { Participant } from '../domain/random-chat.events';
import { findPartner } from '../domain/random-chat.state';
import type { LiveChat } from './live-chat.model';

/** One `session_resumed` frame of a resume. */
interface Page {
  /** Serialised frames, one for each event. */
  frames: string[];
  /** Version of the chat after the last of these events. Clients see it as `seq`. */
  version: number;
  isLast: boolean;
}

/** Enough for a page without its events. The longest parts are the partner's name and avatar, which have limits. */
const PAGE_FRAME_BYTES = 2_048;
const PAGE_EVENT_BYTES = limits.resumeFrameMaxBytes - PAGE_FRAME_BYTES;

/** Whether Redis has lost events that the client has seen. Such a client resumes from the start of the chat. */
const hasLostSeenEvents = (chat: LiveChat, seenVersion: number): boolean => seenVersion > chat.version;

/**
 * Number of pages of a resume; 0 when there is nothing to send. It is approximate, because it is computed from the size
 * of the stored events, not of the frames.
 * @param seenVersion version that the client has seen. If the chat has fewer events, all are sent again.
 */
export const countResumePages = (chat: LiveChat, seenVersion: number): number => {
  const startVersion = hasLostSeenEvents(chat, seenVersion) ? 0 : seenVersion;
  return Math.ceil(chat.measureBytesAfter(startVersion) / PAGE_EVENT_BYTES);
};

/** Sends each event of a chat that has just started as its own frame, then attaches the socket. */
export const sendAllEvents = (chat: LiveChat, connection: SocketConnection): void => {
  const { userId } = connection.identity;
  for (let version = 1; version <= chat.version; version += 1)
    connection.send(chat.renderPastFrame(version, userId));
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
 * @param seenVersion version that the client has seen. If the chat has fewer events, all are sent again.
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
  const isReset = hasLostSeenEvents(chat, seenVersion);
  let sentVersion = isReset ? 0 : seenVersion;
  while (connection.isOpen) {
    const isFirstOfReset = isReset && sentVersion === 0;
    const page = buildPageAfter(chat, sentVersion, userId);
    connection.send(serialisePage(page, chat, partner, { isFirstOfReset }));
    if (page.isLast) {
      if (connection.isOpen) chat.attach(connection); // `send` closes the socket of a slow client
      return;
    }
    sentVersion = page.version;
    await connection.waitUntilDrained();
    await eventLoop.waitForIteration();
  }
};

/** Builds a page of as many events after `sentVersion` as fit on it, but of at least one if there are any. */
const buildPageAfter = (chat: LiveChat, sentVersion: number, userId: number): Page => {
  const frames: string[] = [];
  let version = sentVersion;
  let bytes = 0;
  while (version < chat.version) {
    const frame = chat.renderPastFrame(version + 1, userId);
    bytes += Buffer.byteLength(frame) + 1; // the comma after it
    if (bytes > PAGE_EVENT_BYTES && frames.length > 0) break;
    frames.push(frame);
    version += 1;
  }
  return { frames, version, isLast: version === chat.version };
};

/** @param isFirstOfReset whether the client has to discard its state of the chat before it applies this page. */
const serialisePage = (
  { frames, version, isLast }: Page,
  chat: LiveChat,
  partner: Participant,
  { isFirstOfReset }: { isFirstOfReset: boolean },
): string => {
  const isPartnerConnected = !chat.isAway(partner.id);
  const dataWithoutEvents = JSON.stringify({
    sessionId: chat.sessionId,
    reset: isFirstOfReset ? true : undefined,
    seq: version,
    partnerId: partner.id,
    partnerInfo: { ...partner, isOnline: isPartnerConnected },
    partnerConnection: isPartnerConnected ? 'connected' : 'reconnecting',
    last: isLast,
  });
  // The frames are already serialised, so they are inserted into the text, before the closing brace of the data.
  const openData = dataWithoutEvents.slice(0, -1);
  return `{"event":"session_resumed","data":${openData},"events":[${frames.join(',')}]}}`;
};
