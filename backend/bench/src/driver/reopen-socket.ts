import { JsonWire, SocketIoWire, type Wire, type WireFrame } from './wire';
import type { Partner } from './pairs';

/**
 * Opens a new socket to Thaw for a user whose socket was lost, and resumes their chat: the server sends the events that
 * the client has missed, in one or several `session_resumed` frames.
 * @param seq the highest sequence number that the client has received
 * @param onFrame receives the frames of the new socket, including `session_resumed`
 * @throws Error when the socket does not open or the chat is not resumed
 */
export const reopenThawSocket = async (
  { visitor, sessionId, userId }: Partner,
  origin: string,
  seq: number,
  onFrame: (frame: WireFrame) => void,
): Promise<Wire> => {
  // Only the users of the baselines have no `visitor`.
  const headers = { cookie: visitor?.cookie ?? '' };
  const wire = await JsonWire.open(`${origin.replace(/^http/, 'ws')}/ws`, { headers });
  try {
    wire.onFrame = onFrame;
    const resumed = wire.waitForFrame(({ event, data }) => event === 'session_resumed' && data.last === true);
    const lastSeen = { sessionId, seq };
    await Promise.all([wire.request('authenticate', { userId, lastSeen }, 'authenticated'), resumed]);
    return wire;
  } catch (error) {
    wire.close();
    throw error;
  }
};

/**
 * Opens a new socket for a user of the Socket.IO baseline, and joins their chat again.
 * @param lostWire the lost socket, whose session the server restores; given only for the baseline with Socket.IO's
 * connection state recovery
 * @throws Error when the socket does not open or the server does not acknowledge `join`
 */
export const reopenSocketIoSocket = async (
  { sessionId, userId }: Partner,
  origin: string,
  onFrame: (frame: WireFrame) => void,
  lostWire?: SocketIoWire,
): Promise<Wire> => {
  const recoveredSession = lostWire?.recoverableSession;
  const wire = await SocketIoWire.open(origin, { recoveredSession, onFrame });
  try {
    await wire.request('join', { sessionId, userId });
    return wire;
  } catch (error) {
    wire.close();
    throw error;
  }
};
