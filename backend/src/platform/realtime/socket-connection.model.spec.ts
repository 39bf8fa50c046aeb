import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { goodStanding } from '@thaw/contract/safety';
import { WebSocket } from 'ws';
import { realtimeLimits } from './realtime.limits';
import { SocketConnection } from './socket-connection.model';

const { heartbeatMs, pingEveryMs, pongWithinMs } = realtimeLimits;

/** A socket on which only the test emits events. */
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
    const identity = { userId: 1, familyId: 'family', standing: goodStanding };
    connection = new SocketConnection(
      socket as unknown as WebSocket,
      new PassThrough(),
      identity,
      async () => undefined,
      now,
    );
  });
  /** Advances the time by `ms` with a heartbeat check every `heartbeatMs`, and calls `beforeCheck` before each. */
  const pass = (ms: number, beforeCheck: () => void = () => undefined): void => {
    const end = now + ms;
    while (now < end) {
      beforeCheck();
      now += heartbeatMs;
      connection.checkHeartbeat(now);
    }
  };

  it('does not ping a peer that sends frames', () => {
    pass(4 * pingEveryMs, () => connection.enqueue('{}'));
    expect(socket.ping).not.toHaveBeenCalled();
  });

  it('pings a silent peer in time, and again after the peer has answered', () => {
    pass(pingEveryMs);
    expect(socket.ping).toHaveBeenCalledTimes(1);
    socket.emit('pong');
    pass(pingEveryMs);
    expect(socket.ping).toHaveBeenCalledTimes(2);
    expect(socket.terminate).not.toHaveBeenCalled();
  });

  it('disconnects a peer that does not answer a ping', () => {
    pass(pingEveryMs + pongWithinMs);
    expect(socket.terminate).toHaveBeenCalled();
  });

  it('accepts a frame as the answer to a ping', () => {
    pass(pingEveryMs);
    expect(socket.ping).toHaveBeenCalledTimes(1);
    pass(pongWithinMs, () => connection.enqueue('{}'));
    expect(socket.terminate).not.toHaveBeenCalled();
  });
});
