import { closeCodes } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { flushPromises } from '@/testing/flush-promises';
import { openSocketClient } from '@/testing/socket-client.fixture';

describe('a close with 4401', () => {
  it('signs out without another attempt when the server no longer recognizes the user', async () => {
    const { currentSocket, sockets, checkSignedOut, onSignedOut, clock } = openSocketClient();
    checkSignedOut.mockResolvedValueOnce(true);
    currentSocket().drop(closeCodes.notSignedIn);
    await flushPromises();
    expect(checkSignedOut).toHaveBeenCalledTimes(1);
    expect(onSignedOut).toHaveBeenCalledTimes(1);
    clock.advance(120_000);
    expect(sockets).toHaveLength(1);
  });

  it('reconnects when the user is still signed in: another tab was replacing the cookie', async () => {
    const { currentSocket, sockets, acceptConnection, checkSignedOut, onSignedOut, status, clock } =
      openSocketClient();
    checkSignedOut.mockResolvedValueOnce(false);
    currentSocket().drop(closeCodes.notSignedIn);
    await flushPromises();
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(limits.reconnectInitialDelayMs);
    expect(sockets).toHaveLength(2);
    acceptConnection();
    expect(status()).toEqual({ kind: 'open' });
    expect(onSignedOut).not.toHaveBeenCalled();
  });

  it('offers Reconnect after five refusals in a row, although the user is signed in', async () => {
    const { currentSocket, sockets, checkSignedOut, status, clock } = openSocketClient();
    checkSignedOut.mockResolvedValue(false);
    for (let attempt = 1; attempt <= limits.reconnectAttempts + 1; attempt += 1) {
      currentSocket().drop(closeCodes.notSignedIn);
      await flushPromises();
      clock.advance(reconnectDelayMs(attempt));
    }
    expect(sockets).toHaveLength(1 + limits.reconnectAttempts);
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
  });

  it('offers Reconnect when the check of the signed-in user fails', async () => {
    const { currentSocket, checkSignedOut, onSignedOut, status } = openSocketClient();
    checkSignedOut.mockRejectedValueOnce(new Error('offline'));
    currentSocket().drop(closeCodes.notSignedIn);
    await flushPromises();
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
    expect(onSignedOut).not.toHaveBeenCalled();
  });

  it('ignores a response about the previous user', async () => {
    const { client, currentSocket, acceptConnection, checkSignedOut, onSignedOut, status } =
      openSocketClient();
    let respond: (isOut: boolean) => void = () => undefined;
    checkSignedOut.mockReturnValueOnce(new Promise((resolve) => (respond = resolve)));
    currentSocket().drop(closeCodes.notSignedIn);
    client.stop();
    client.start();
    acceptConnection();
    respond(true);
    await flushPromises();
    expect(onSignedOut).not.toHaveBeenCalled();
    expect(status()).toEqual({ kind: 'open' });
  });
});
