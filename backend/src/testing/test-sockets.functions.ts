import type { Socket } from 'node:net';
import { presenceKeys, findPresenceShard } from '../platform/redis/redis.keys';
import type { SocketConnection } from '../platform/realtime/socket-connection.model';
import { SocketRegistry } from '../platform/realtime/socket.registry';
import type { TestReplica } from './test-stack.harness';
import type { ReceivedFrame, ThawSocket } from './thaw.client';
import { until } from './until.functions';

/** The Redis key of the user's open sockets on all replicas. */
export const getSocketsKey = (userId: number): string =>
  presenceKeys(findPresenceShard(userId)).sockets(String(userId));

/** The server's connections for the user's open sockets on one replica. */
export const findServerConnections = ({ app }: TestReplica, userId: number): SocketConnection[] =>
  [...app.get(SocketRegistry).iterateSockets()].filter(({ identity }) => identity.userId === userId);

/** An answer has the `ref` of the frame that it answers; an error has none if that frame could not be parsed. */
const isAnswer = ({ event, ref }: ReceivedFrame): boolean => ref !== undefined || event === 'error';

/** Waits until `count` answers or errors follow the first `skippedFrames` frames, and returns them. */
export const waitForAnswers = (
  socket: ThawSocket,
  count: number,
  skippedFrames = 0,
): Promise<ReceivedFrame[]> =>
  until(
    () => socket.frames.slice(skippedFrames).filter(isAnswer),
    (frames) => frames.length >= count,
  );

/** Sends frames in one packet, if the network permits. */
export const sendAtOnce = ({ webSocket }: ThawSocket, frames: readonly (object | string)[]): void => {
  // `_socket` is the TCP connection, which the library does not export. A corked connection collects what is written.
  const { _socket: connection } = webSocket as unknown as { _socket: Socket };
  connection.cork();
  for (const frame of frames) webSocket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  connection.uncork();
};
