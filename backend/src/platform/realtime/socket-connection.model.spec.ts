import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { goodStanding } from '@thaw/contract/safety';
import { WebSocket } from 'ws';
import { realtimeLimits } from './realtime.limits';
import { SocketConnection } from './socket-connection.model';

const { heartbeatCheckMs, pingEveryMs, pongWithinMs } = realtimeLimits;

/** A fake of ws's socket, on which only the test emits events. */
class FakeSocket extends EventEmitter {
  readonly readyState = WebSocket.OPEN;
  readonly ping = jest.fn();
  readonly terminate = jest.fn();
}

describe('the heartbeat of a socket', () => {
  let socket: FakeSocket;
  let connection: SocketConnection;
  let now: number;

  beforeEach(() => {
    now = 0;
    socket = new FakeSocket();
    const handleFrame = async (): Promise<void> => undefined;
    const identity = { userId: 1, familyId: 'family', standing: goodStanding };
    connection = new SocketConnection(
      socket as unknown as WebSocket,
      new PassThrough(),
      identity,
      handleFrame,
      now,
    );
  });
  /**
   * Advances the time by `ms`, and checks the heartbeat every `heartbeatCheckMs`.
   * @param sendsFrames whether the peer sends a frame before each check
   */
  const advance = (ms: number, { sendsFrames = false } = {}): void => {
    const end = now + ms;
    while (now < end) {
      if (sendsFrames) connection.enqueue('{}');
      now += heartbeatCheckMs;
      connection.checkHeartbeat(now);
    }
  };

  it('does not ping a peer that sends frames', () => {
    advance(4 * pingEveryMs, { sendsFrames: true });
    expect(socket.ping).not.toHaveBeenCalled();
  });

  it('pings a peer that is silent for `pingEveryMs`, and again after the peer has answered', () => {
    advance(pingEveryMs);
    expect(socket.ping).toHaveBeenCalledTimes(1);
    socket.emit('pong');
    advance(pingEveryMs);
    expect(socket.ping).toHaveBeenCalledTimes(2);
    expect(socket.terminate).not.toHaveBeenCalled();
  });

  it('disconnects a peer that does not answer a ping', () => {
    advance(pingEveryMs + pongWithinMs);
    expect(socket.terminate).toHaveBeenCalled();
  });

  it('accepts a frame as the answer to a ping', () => {
    advance(pingEveryMs);
    expect(socket.ping).toHaveBeenCalledTimes(1);
    advance(pongWithinMs, { sendsFrames: true });
    expect(socket.terminate).not.toHaveBeenCalled();
  });
});
