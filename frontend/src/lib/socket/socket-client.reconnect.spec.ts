import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { pageLimits } from '@/lib/page-limits';
import { openSocketClient } from '@/testing/socket-client.fixture';

// `openSocketClient` returns a client whose connection is open on the first of its fake `sockets`. Each attempt to
// connect adds a socket.

describe('losing the connection', () => {
  it('retries after 1, 2, 4, 8 and 16 s, then gives up', () => {
    const { getCurrentSocket, clock, sockets, getStatus } = openSocketClient();
    getCurrentSocket().drop(closeCodes.abnormal);
    for (const [index, delayMs] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      expect(getStatus()).toEqual({ kind: 'retrying', attempt: index + 1 });
      expect(clock.pendingDelays).toEqual([delayMs]);
      clock.advance(delayMs - 1);
      expect(sockets).toHaveLength(index + 1);
      clock.advance(1);
      expect(sockets).toHaveLength(index + 2);
      getCurrentSocket().drop(closeCodes.abnormal);
    }
    expect(getStatus()).toEqual({ kind: 'failed', canReconnect: true });
    expect(clock.pendingDelays).toEqual([]);
  });

  it.each(['internalError', 'serviceRestart', 'consumerTooSlow', 'authenticateTimeout'] as const)(
    'reconnects after a close with %s',
    (name) => {
      const { getCurrentSocket, getStatus } = openSocketClient();
      getCurrentSocket().drop(closeCodes[name]);
      expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
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
    const { getCurrentSocket, getStatus, clock } = openSocketClient();
    getCurrentSocket().drop(closeCodes[name]);
    expect(getStatus()).toEqual({ kind: 'failed', canReconnect: true });
    expect(clock.pendingDelays).toEqual([]);
  });

  it('continues the series of attempts when a reopened connection is lost within five seconds', () => {
    const { acceptConnection, getCurrentSocket, clock, getStatus } = openSocketClient();
    getCurrentSocket().drop(closeCodes.abnormal);
    clock.advance(limits.reconnectInitialDelayMs);
    acceptConnection();
    clock.advance(limits.reconnectResetAfterMs - 1);
    getCurrentSocket().drop(closeCodes.abnormal);
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 2 });
    // The delay before the second attempt is twice as long.
    expect(clock.pendingDelays).toEqual([2 * limits.reconnectInitialDelayMs]);
  });

  it('starts a new series of attempts when a reopened connection is lost after five seconds', () => {
    const { acceptConnection, getCurrentSocket, clock, getStatus } = openSocketClient();
    getCurrentSocket().drop(closeCodes.abnormal);
    clock.advance(limits.reconnectInitialDelayMs);
    acceptConnection();
    clock.advance(limits.reconnectResetAfterMs);
    getCurrentSocket().drop(closeCodes.abnormal);
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('calls onReopened after a reconnect, but not after the first connection', () => {
    const { acceptConnection, getCurrentSocket, clock, onReopened } = openSocketClient();
    expect(onReopened).not.toHaveBeenCalled();
    getCurrentSocket().drop(closeCodes.serviceRestart);
    clock.advance(limits.reconnectInitialDelayMs);
    acceptConnection();
    expect(onReopened).toHaveBeenCalledTimes(1);
  });

  it('ignores events of a superseded socket', () => {
    const { acceptConnection, sockets, clock, frames, getStatus, client } = openSocketClient();
    const oldSocket = sockets[0]!;
    const { onmessage, onclose, onopen } = oldSocket;
    oldSocket.drop(closeCodes.abnormal);
    clock.advance(limits.reconnectInitialDelayMs);
    acceptConnection();
    // The client removes its handlers from a lost socket. With them, the old socket can still send events.
    Object.assign(oldSocket, { onmessage, onclose, onopen });
    const frameCount = frames.length;
    oldSocket.deliver('queue_left', {});
    oldSocket.drop(closeCodes.abnormal);
    oldSocket.accept();
    expect(frames).toHaveLength(frameCount);
    expect(getStatus()).toEqual({ kind: 'open' });
    expect(client.isOpen).toBe(true);
    expect(sockets).toHaveLength(2);
  });

  it('closes the connection normally when stopped, and leaves no timer behind', () => {
    const { getCurrentSocket, client, clock, getStatus } = openSocketClient();
    client.stop();
    expect(getCurrentSocket().closedWith).toBe(closeCodes.normal);
    expect(getStatus()).toEqual({ kind: 'closed' });
    expect(clock.pendingDelays).toEqual([]);
  });

  it('cancels a pending attempt when stopped', () => {
    const { getCurrentSocket, client, clock, sockets } = openSocketClient();
    getCurrentSocket().drop(closeCodes.abnormal);
    client.stop();
    // Longer than any delay before an attempt.
    clock.advance(60_000);
    expect(sockets).toHaveLength(1);
  });
});

// A wake-up is a call of `wake`: the browser comes online again, or the page becomes visible or is resumed.
describe('the Reconnect button and wake-ups', () => {
  /** Opens a connection and closes it with a code after which the client does not retry. */
  const openAndGiveUp = () => {
    const fixture = openSocketClient();
    fixture.getCurrentSocket().drop(closeCodes.tooManySockets);
    return fixture;
  };

  it('starts a new series of attempts on Reconnect after giving up', () => {
    const { client, getCurrentSocket, sockets, getStatus } = openAndGiveUp();
    client.reconnect();
    expect(sockets).toHaveLength(2);
    getCurrentSocket().drop(closeCodes.abnormal);
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('makes a single attempt when the browser comes online after giving up', () => {
    const { client, getCurrentSocket, sockets, getStatus } = openAndGiveUp();
    client.wake();
    expect(sockets).toHaveLength(2);
    getCurrentSocket().drop(closeCodes.abnormal);
    expect(getStatus()).toEqual({ kind: 'failed', canReconnect: true });
  });

  it('makes the next attempt immediately, and only once, when the browser comes online', () => {
    const { client, getCurrentSocket, sockets, clock } = openSocketClient();
    getCurrentSocket().drop(closeCodes.abnormal);
    client.wake();
    expect(sockets).toHaveLength(2);
    clock.advance(limits.reconnectInitialDelayMs);
    expect(sockets).toHaveLength(2);
  });

  it('ignores a wake-up during an attempt', () => {
    const { client, getCurrentSocket, sockets } = openSocketClient();
    getCurrentSocket().drop(closeCodes.abnormal);
    client.wake();
    client.wake();
    expect(sockets).toHaveLength(2);
  });

  it('ignores Reconnect while connected', () => {
    const { client, sockets } = openSocketClient();
    client.reconnect();
    expect(sockets).toHaveLength(1);
  });

  it('disables Reconnect and ignores wake-ups for 30 s after the server closed the connection for too many frames', () => {
    const { getCurrentSocket, clock, getStatus, client, sockets } = openSocketClient();
    getCurrentSocket().drop(closeCodes.flooding);
    expect(getStatus()).toEqual({ kind: 'failed', canReconnect: false });
    client.reconnect();
    client.wake();
    expect(sockets).toHaveLength(1);
    clock.advance(pageLimits.reconnectButtonAfterFloodMs - 1);
    expect(getStatus()).toEqual({ kind: 'failed', canReconnect: false });
    clock.advance(1);
    expect(getStatus()).toEqual({ kind: 'failed', canReconnect: true });
  });
});
