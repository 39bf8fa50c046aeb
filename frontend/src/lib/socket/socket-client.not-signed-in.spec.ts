import { closeCodes } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { parseFrame } from '@/lib/socket/parse-frame';
import { SocketClient, type ConnectionStatus } from '@/lib/socket/socket-client';
import { FakeClock } from '@/testing/fake-clock';
import { FakeSocket } from '@/testing/fake-socket';

/** A client with an open connection. */
const openClient = () => {
  const clock = new FakeClock();
  const sockets: FakeSocket[] = [];
  const statuses: ConnectionStatus[] = [];
  const onSignedOut = jest.fn();
  const isSignedOut = jest.fn<Promise<boolean>, []>();
  const client = new SocketClient({
    connect: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    clock,
    parse: parseFrame,
    authentication: () => ({ userId: 7 }),
    isSignedOut,
    onSignedOut,
    onStatus: (status) => statuses.push(status),
    onFrame: () => undefined,
    log: () => undefined,
  });
  const socket = (): FakeSocket => sockets.at(-1)!;
  const accept = (): void => {
    socket().accept();
    socket().deliver('authenticated', { userId: 7, state: 'idle' }, socket().last('authenticate')?.ref);
  };
  client.start();
  accept();
  return { client, clock, sockets, socket, accept, isSignedOut, onSignedOut, status: () => statuses.at(-1) };
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

describe('a close with 4401', () => {
  it('signs out without another attempt when the server no longer recognizes the user', async () => {
    const { socket, sockets, isSignedOut, onSignedOut, clock } = openClient();
    isSignedOut.mockResolvedValueOnce(true);
    socket().drop(closeCodes.notSignedIn);
    await settled();
    expect(isSignedOut).toHaveBeenCalledTimes(1);
    expect(onSignedOut).toHaveBeenCalledTimes(1);
    clock.advance(120_000);
    expect(sockets).toHaveLength(1);
  });

  it('reconnects when the user is still signed in: another tab was replacing the cookie', async () => {
    const { socket, sockets, accept, isSignedOut, onSignedOut, status, clock } = openClient();
    isSignedOut.mockResolvedValueOnce(false);
    socket().drop(closeCodes.notSignedIn);
    await settled();
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(limits.reconnectInitialDelayMs);
    expect(sockets).toHaveLength(2);
    accept();
    expect(status()).toEqual({ kind: 'open' });
    expect(onSignedOut).not.toHaveBeenCalled();
  });

  it('offers Reconnect after five refusals in a row, although the user is signed in', async () => {
    const { socket, sockets, isSignedOut, status, clock } = openClient();
    isSignedOut.mockResolvedValue(false);
    for (let attempt = 1; attempt <= limits.reconnectAttempts + 1; attempt += 1) {
      socket().drop(closeCodes.notSignedIn);
      await settled();
      clock.advance(reconnectDelayMs(attempt));
    }
    expect(sockets).toHaveLength(1 + limits.reconnectAttempts);
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
  });

  it('offers Reconnect when the check of the signed-in user fails', async () => {
    const { socket, isSignedOut, onSignedOut, status } = openClient();
    isSignedOut.mockRejectedValueOnce(new Error('offline'));
    socket().drop(closeCodes.notSignedIn);
    await settled();
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
    expect(onSignedOut).not.toHaveBeenCalled();
  });

  it('ignores a response about the previous user', async () => {
    const { client, socket, accept, isSignedOut, onSignedOut, status } = openClient();
    let answer: (isOut: boolean) => void = () => undefined;
    isSignedOut.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    socket().drop(closeCodes.notSignedIn);
    client.stop();
    client.start();
    accept();
    answer(true);
    await settled();
    expect(onSignedOut).not.toHaveBeenCalled();
    expect(status()).toEqual({ kind: 'open' });
  });
});
