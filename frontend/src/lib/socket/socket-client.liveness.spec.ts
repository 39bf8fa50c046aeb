import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { flushPromises } from '@/testing/flush-promises';
import { createSocketClient, openSocketClient } from '@/testing/socket-client.fixture';

// The private timeouts of `ConnectionMonitor` and `SocketClient`.
const pongTimeoutMs = 10_000;
const connectTimeoutMs = 10_000;
/** The length of the silence that starts a probe, and the timeout of the probe. */
const probeMs = 3_000;

describe('detecting a dead connection', () => {
  it('pings every 60 s while open and stops on close', () => {
    const { getCurrentSocket, clock } = openSocketClient();
    clock.advance(limits.pingIntervalMs);
    expect(getCurrentSocket().count('ping')).toBe(1);
    getCurrentSocket().deliver('pong', undefined, getCurrentSocket().findLast('ping')?.ref);
    clock.advance(limits.pingIntervalMs);
    expect(getCurrentSocket().count('ping')).toBe(2);
    getCurrentSocket().drop(closeCodes.normal);
    clock.advance(10 * limits.pingIntervalMs);
    expect(getCurrentSocket().count('ping')).toBe(2);
  });

  it('treats an unanswered ping as a lost connection', async () => {
    const { getCurrentSocket, clock, getStatus } = openSocketClient();
    clock.advance(limits.pingIntervalMs);
    expect(getCurrentSocket().count('ping')).toBe(1);
    clock.advance(pongTimeoutMs);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('probes an open connection at once on wake, which the page calls when the browser comes online', () => {
    const { client, getCurrentSocket } = openSocketClient();
    client.wake();
    expect(getCurrentSocket().count('ping')).toBe(1);
  });

  it('aborts a connection that is not established within ten seconds, and retries', () => {
    const { client, clock, getStatus, sockets } = createSocketClient();
    client.start();
    clock.advance(connectTimeoutMs);
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(limits.reconnectInitialDelayMs);
    expect(sockets).toHaveLength(2);
  });

  it('keeps a connection whose probe times out, if another frame has arrived since', async () => {
    const { client, getCurrentSocket, clock, getStatus } = openSocketClient();
    client.wake();
    clock.advance(probeMs - 1);
    getCurrentSocket().deliver('typing', { sessionId: 's1', userId: 8 });
    clock.advance(1);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'open' });
  });

  it('probes after a silence of 3 s with an unanswered command, and drops the connection after 3 s more', async () => {
    const { client, getCurrentSocket, clock, getStatus } = openSocketClient();
    client.request('skip_chat', { sessionId: 's1' }).catch(() => undefined);
    clock.advance(probeMs - 1);
    expect(getCurrentSocket().count('ping')).toBe(0);
    clock.advance(1);
    expect(getCurrentSocket().count('ping')).toBe(1);
    clock.advance(probeMs);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('does not probe while frames arrive or once the command is acknowledged', () => {
    const { client, getCurrentSocket, clock } = openSocketClient();
    void client.request('skip_chat', { sessionId: 's1' });
    clock.advance(2_000);
    getCurrentSocket().deliver('typing', { sessionId: 's1', userId: 8 });
    clock.advance(2_000);
    getCurrentSocket().deliver('ack', { seq: 3 }, getCurrentSocket().findLast('skip_chat')?.ref);
    // Longer than the silence that starts a probe.
    clock.advance(10_000);
    expect(getCurrentSocket().count('ping')).toBe(0);
  });
});
