import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { flushPromises } from '@/testing/flush-promises';
import { createSocketClient, openSocketClient } from '@/testing/socket-client.fixture';

// Copies of the timeouts of `ConnectionMonitor` and `SocketClient`, which do not export them.
const connectTimeoutMs = 10_000;
const pongTimeoutMs = 10_000;
/** A probe is a ping with this shorter timeout. */
const probeTimeoutMs = 3_000;
/** A silence of this length starts a probe while a command is unanswered. */
const silenceBeforeProbeMs = 3_000;

describe('detecting a dead connection', () => {
  it('pings at regular intervals while the connection is open', () => {
    const { getCurrentSocket, clock } = openSocketClient();
    clock.advance(limits.pingIntervalMs);
    expect(getCurrentSocket().count('ping')).toBe(1);
    getCurrentSocket().deliver('pong', undefined, getCurrentSocket().findLast('ping')?.ref);
    clock.advance(limits.pingIntervalMs);
    expect(getCurrentSocket().count('ping')).toBe(2);
  });

  it('stops pinging when the connection is closed', () => {
    const { getCurrentSocket, clock } = openSocketClient();
    clock.advance(limits.pingIntervalMs);
    getCurrentSocket().deliver('pong', undefined, getCurrentSocket().findLast('ping')?.ref);
    getCurrentSocket().drop(closeCodes.normal);
    clock.advance(10 * limits.pingIntervalMs);
    expect(getCurrentSocket().count('ping')).toBe(1);
  });

  it('treats an unanswered ping as a lost connection', async () => {
    const { getCurrentSocket, clock, getStatus } = openSocketClient();
    clock.advance(limits.pingIntervalMs);
    expect(getCurrentSocket().count('ping')).toBe(1);
    clock.advance(pongTimeoutMs);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('probes an open connection at once when the page wakes the client', () => {
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
    clock.advance(probeTimeoutMs - 1);
    getCurrentSocket().deliver('typing', { sessionId: 's1', userId: 8 });
    clock.advance(1);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'open' });
  });

  it('probes during a silence after a command, and drops the connection when the probe times out', async () => {
    const { client, getCurrentSocket, clock, getStatus } = openSocketClient();
    client.request('skip_chat', { sessionId: 's1' }).catch(() => undefined);
    clock.advance(silenceBeforeProbeMs - 1);
    expect(getCurrentSocket().count('ping')).toBe(0);
    clock.advance(1);
    expect(getCurrentSocket().count('ping')).toBe(1);
    clock.advance(probeTimeoutMs);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('does not probe while frames arrive', () => {
    const { client, getCurrentSocket, clock } = openSocketClient();
    void client.request('skip_chat', { sessionId: 's1' });
    clock.advance(silenceBeforeProbeMs - 1);
    getCurrentSocket().deliver('typing', { sessionId: 's1', userId: 8 });
    clock.advance(silenceBeforeProbeMs - 1);
    expect(getCurrentSocket().count('ping')).toBe(0);
  });

  it('does not probe once the command is acknowledged', () => {
    const { client, getCurrentSocket, clock } = openSocketClient();
    void client.request('skip_chat', { sessionId: 's1' });
    clock.advance(silenceBeforeProbeMs - 1);
    getCurrentSocket().deliver('ack', { seq: 3 }, getCurrentSocket().findLast('skip_chat')?.ref);
    clock.advance(10 * silenceBeforeProbeMs);
    expect(getCurrentSocket().count('ping')).toBe(0);
  });
});
