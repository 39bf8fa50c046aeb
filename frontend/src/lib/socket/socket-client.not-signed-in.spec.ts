import { closeCodes } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { flushPromises } from '@/testing/flush-promises';
import { openSocketClient } from '@/testing/socket-client.fixture';

describe('a close with 4401 (not signed in)', () => {
  it('signs out without another attempt when the server no longer recognizes the user', async () => {
    const { getCurrentSocket, sockets, checkSignedOut, onSignedOut, clock } = openSocketClient();
    checkSignedOut.mockResolvedValueOnce(true);
    getCurrentSocket().drop(closeCodes.notSignedIn);
    await flushPromises();
    expect(checkSignedOut).toHaveBeenCalledTimes(1);
    expect(onSignedOut).toHaveBeenCalledTimes(1);
    // Long enough for all attempts to reconnect.
    clock.advance(120_000);
    expect(sockets).toHaveLength(1);
  });

  it('reconnects when the user is still signed in, as after another tab has replaced the cookie', async () => {
    const { getCurrentSocket, sockets, acceptConnection, checkSignedOut, onSignedOut, getStatus, clock } =
      openSocketClient();
    checkSignedOut.mockResolvedValueOnce(false);
    getCurrentSocket().drop(closeCodes.notSignedIn);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(limits.reconnectInitialDelayMs);
    expect(sockets).toHaveLength(2);
    acceptConnection();
    expect(getStatus()).toEqual({ kind: 'open' });
    expect(onSignedOut).not.toHaveBeenCalled();
  });

  it('offers Reconnect when every attempt to reconnect ends with 4401 although the user is signed in', async () => {
    const { getCurrentSocket, sockets, checkSignedOut, getStatus, clock } = openSocketClient();
    checkSignedOut.mockResolvedValue(false);
    const connections = 1 + limits.reconnectAttempts;
    for (let connection = 1; connection <= connections; connection += 1) {
      getCurrentSocket().drop(closeCodes.notSignedIn);
      await flushPromises();
      // The delay before the next attempt. After the last connection there is none.
      clock.advance(reconnectDelayMs(connection));
    }
    expect(sockets).toHaveLength(connections);
    expect(getStatus()).toEqual({ kind: 'failed', canReconnect: true });
  });

  it('offers Reconnect when the client cannot find out whether the user is signed in', async () => {
    const { getCurrentSocket, checkSignedOut, onSignedOut, getStatus } = openSocketClient();
    checkSignedOut.mockRejectedValueOnce(new Error('offline'));
    getCurrentSocket().drop(closeCodes.notSignedIn);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'failed', canReconnect: true });
    expect(onSignedOut).not.toHaveBeenCalled();
  });

  it('ignores a response about the previous user', async () => {
    const { client, getCurrentSocket, acceptConnection, checkSignedOut, onSignedOut, getStatus } =
      openSocketClient();
    let respond: (isSignedOut: boolean) => void = () => undefined;
    checkSignedOut.mockReturnValueOnce(new Promise((resolve) => (respond = resolve)));
    getCurrentSocket().drop(closeCodes.notSignedIn);
    // As the page does when another user signs in.
    client.stop();
    client.start();
    acceptConnection();
    respond(true);
    await flushPromises();
    expect(onSignedOut).not.toHaveBeenCalled();
    expect(getStatus()).toEqual({ kind: 'open' });
  });
});
