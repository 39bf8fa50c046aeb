import { type ServerFrame } from '@thaw/contract/server-frames';
import { parseFrame } from '@/lib/socket/parse-frame';
import { SocketClient, type ConnectionStatus } from '@/lib/socket/socket-client';
import { FakeClock } from '@/testing/fake-clock';
import { FakeSocket } from '@/testing/fake-socket';

/** A socket client on fake sockets and a fake clock, not started yet. Records its status, frames and log messages. */
export const createSocketClient = () => {
  const clock = new FakeClock();
  const sockets: FakeSocket[] = [];
  const statuses: ConnectionStatus[] = [];
  const frames: ServerFrame[] = [];
  const logged: string[] = [];
  const onSignedOut = jest.fn();
  const onReopened = jest.fn();
  /** By default, the server answers after a close with 4401 that the user is signed out. */
  const checkSignedOut = jest.fn<Promise<boolean>, []>(() => Promise.resolve(true));
  let lastSeen: { sessionId: string; seq: number } | undefined;
  const client = new SocketClient({
    connect: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    clock,
    parse: parseFrame,
    buildAuthentication: () => ({ userId: 7, ...(lastSeen ? { lastSeen } : {}) }),
    checkSignedOut,
    onSignedOut,
    onStatus: (status) => statuses.push(status),
    onFrame: (frame) => frames.push(frame),
    onReopened,
    log: (message) => logged.push(message),
  });
  const getCurrentSocket = (): FakeSocket => {
    const socket = sockets.at(-1);
    if (!socket) throw new Error('The client has not connected yet');
    return socket;
  };
  const acceptConnection = (): void => {
    const socket = getCurrentSocket();
    socket.accept();
    socket.deliver('authenticated', { userId: 7, state: 'idle' }, socket.findLast('authenticate')?.ref);
  };
  return {
    client,
    clock,
    sockets,
    getCurrentSocket,
    getStatus: () => statuses.at(-1),
    frames,
    logged,
    checkSignedOut,
    onSignedOut,
    onReopened,
    /** Opens the current socket and answers `authenticate`, as the server does. */
    acceptConnection,
    setLastSeen: (seen: { sessionId: string; seq: number }): void => {
      lastSeen = seen;
    },
  };
};

/** A socket client whose connection is open. */
export const openSocketClient = () => {
  const fixture = createSocketClient();
  fixture.client.start();
  fixture.acceptConnection();
  return fixture;
};
