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

/** The server's side of the user's sockets on one replica. */
export const openConnections = ({ app }: TestReplica, userId: number): SocketConnection[] =>
  [...app.get(SocketRegistry).iterateSockets()].filter(({ identity }) => identity.userId === userId);

/** Waits for `count` answers and errors after the first `skippedFrames` frames, and returns them. */
export const waitForAnswers = (
  socket: ThawSocket,
  count: number,
  skippedFrames = 0,
): Promise<ReceivedFrame[]> =>
  until(
    () =>
      socket.frames.slice(skippedFrames).filter(({ event, ref }) => ref !== undefined || event === 'error'),
    (frames) => frames.length >= count,
  );

/** Sends frames in one packet, if the network permits. */
export const sendAtOnce = ({ webSocket }: ThawSocket, frames: readonly (object | string)[]): void => {
  // `_socket` is the TCP connection, which the library does not export.
  const { _socket: connection } = webSocket as unknown as { _socket: Socket };
  connection.cork();
  for (const frame of frames) webSocket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  connection.uncork();
};
