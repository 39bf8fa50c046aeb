import { closeCodes } from '@thaw/contract/close-codes';
import { pageLimits } from '@/lib/page-limits';
import { openSocketClient } from '@/testing/socket-client.fixture';

describe('losing the connection', () => {
  it('retries after 1, 2, 4, 8 and 16 s, then gives up', () => {
    const { currentSocket, clock, sockets, status } = openSocketClient();
    currentSocket().drop(closeCodes.abnormal);
    for (const [index, delay] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      expect(status()).toEqual({ kind: 'retrying', attempt: index + 1 });
      expect(clock.pendingDelays).toEqual([delay]);
      clock.advance(delay - 1);
      expect(sockets).toHaveLength(index + 1);
      clock.advance(1);
      expect(sockets).toHaveLength(index + 2);
      currentSocket().drop(closeCodes.abnormal);
    }
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
    expect(clock.pendingDelays).toEqual([]);
  });

  it.each(['internalError', 'serviceRestart', 'consumerTooSlow', 'authenticateTimeout'] as const)(
    'reconnects after a close with %s',
    (name) => {
      const { currentSocket, status } = openSocketClient();
      currentSocket().drop(closeCodes[name]);
      expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
    },
  );

  it.each([
    'normal',
    'unsupportedData',
    'policyViolation',
    'messageTooBig',
    'userMismatch',
    'tooManySockets',
  ] as const)('does not reconnect after a close with %s', (name) => {
    const { currentSocket, status, clock } = openSocketClient();
    currentSocket().drop(closeCodes[name]);
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
    expect(clock.pendingDelays).toEqual([]);
  });

  it('resets the count of attempts only after five seconds of uptime', () => {
    const { acceptConnection, currentSocket, clock, status } = openSocketClient();
    currentSocket().drop(closeCodes.abnormal);
    clock.advance(1_000);
    acceptConnection();
    clock.advance(4_999);
    currentSocket().drop(closeCodes.abnormal);
    expect(status()).toEqual({ kind: 'retrying', attempt: 2 });
    clock.advance(2_000);
    acceptConnection();
    clock.advance(5_000);
    currentSocket().drop(closeCodes.abnormal);
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('reports that it was reopened, but not the first opening', () => {
    const { acceptConnection, currentSocket, clock, onReopened } = openSocketClient();
    expect(onReopened).not.toHaveBeenCalled();
    currentSocket().drop(closeCodes.serviceRestart);
    clock.advance(1_000);
    acceptConnection();
    expect(onReopened).toHaveBeenCalledTimes(1);
  });

  it('ignores events of a superseded socket', () => {
    const { acceptConnection, sockets, clock, frames, status, client } = openSocketClient();
    const old = sockets[0]!;
    const { onmessage, onclose, onopen } = old;
    old.drop(closeCodes.abnormal);
    clock.advance(1_000);
    acceptConnection();
    const before = frames.length;
    onmessage?.call(old as never, new MessageEvent('message', { data: '{"event":"queue_left","data":{}}' }));
    onclose?.call(old as never, { code: 1006 } as never);
    onopen?.call(old as never, new Event('open'));
    expect(frames).toHaveLength(before);
    expect(status()).toEqual({ kind: 'open' });
    expect(client.isOpen).toBe(true);
    expect(sockets).toHaveLength(2);
  });

  it('closes normally when stopped, and leaves no timer behind', () => {
    const { currentSocket, client, clock, status } = openSocketClient();
    client.stop();
    expect(currentSocket().closedWith).toBe(closeCodes.normal);
    expect(status()).toEqual({ kind: 'closed' });
    expect(clock.pendingDelays).toEqual([]);
  });

  it('cancels a pending attempt when stopped', () => {
    const { currentSocket, client, clock, sockets } = openSocketClient();
    currentSocket().drop(closeCodes.abnormal);
    client.stop();
    clock.advance(60_000);
    expect(sockets).toHaveLength(1);
  });
});

describe('the Reconnect button and wake-ups', () => {
  const openAndGiveUp = () => {
    const fixture = openSocketClient();
    fixture.currentSocket().drop(closeCodes.tooManySockets);
    return fixture;
  };

  it('starts a new series of attempts on Reconnect', () => {
    const { client, currentSocket, sockets, status } = openAndGiveUp();
    client.reconnect();
    expect(sockets).toHaveLength(2);
    currentSocket().drop(closeCodes.abnormal);
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('makes one attempt when the browser comes online', () => {
    const { client, currentSocket, sockets, status } = openAndGiveUp();
    client.wake();
    expect(sockets).toHaveLength(2);
    currentSocket().drop(closeCodes.abnormal);
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
  });

  it('connects at once when the browser comes online between two attempts, and starts no second timer', () => {
    const { client, currentSocket, sockets, clock } = openSocketClient();
    currentSocket().drop(closeCodes.abnormal);
    client.wake();
    expect(sockets).toHaveLength(2);
    client.wake();
    clock.advance(1_000);
    expect(sockets).toHaveLength(2);
  });

  it('ignores Reconnect while connected', () => {
    const { client, sockets } = openSocketClient();
    client.reconnect();
    expect(sockets).toHaveLength(1);
  });

  it('disables Reconnect for 30 s after a flood close', () => {
    const { currentSocket, clock, status, client, sockets } = openSocketClient();
    currentSocket().drop(closeCodes.flooding);
    expect(status()).toEqual({ kind: 'failed', canReconnect: false });
    client.reconnect();
    client.wake();
    expect(sockets).toHaveLength(1);
    clock.advance(pageLimits.reconnectAfterFloodMs - 1);
    expect(status()).toEqual({ kind: 'failed', canReconnect: false });
    clock.advance(1);
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
  });
});
