import { JsonWire, SocketIoWire, type Wire, type WireFrame } from './wire';
import type { Partner } from './pairs';

/**
 * Opens a new socket for a user whose socket was lost, and resumes their chat.
 * @param seq the highest sequence number that the client has received
 * @param onFrame receives the frames of the new socket, those of the resume included
 */
export const reopenThawSocket = async (
  { visitor, sessionId, userId }: Partner,
  origin: string,
  seq: number,
  onFrame: (frame: WireFrame) => void,
): Promise<Wire> => {
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
 * @param previous the lost socket, whose session the baseline may recover
 */
export const reopenSocketIoSocket = async (
  { sessionId, userId }: Partner,
  origin: string,
  onFrame: (frame: WireFrame) => void,
  previous?: SocketIoWire,
): Promise<Wire> => {
  const wire = await SocketIoWire.open(origin, {}, { recovered: previous?.recoverable, onFrame });
  await wire.request('join', { sessionId, userId });
  return wire;
};
