import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { pageLimits } from '@/lib/page-limits';
import { parseFrame } from '@/lib/socket/parse-frame';
import { SocketClient, type ConnectionStatus } from '@/lib/socket/socket-client';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { FakeClock } from '@/testing/fake-clock';
import { FakeSocket } from '@/testing/fake-socket';

const setUp = () => {
  const clock = new FakeClock();
  const sockets: FakeSocket[] = [];
  const statuses: ConnectionStatus[] = [];
  const frames: ServerFrame[] = [];
  const logged: string[] = [];
  const onSignedOut = jest.fn();
  const onReopened = jest.fn();
  const isSignedOut = jest.fn<Promise<boolean>, []>(() => Promise.resolve(true));
  let lastSeen: { sessionId: string; seq: number } | undefined;
  const client = new SocketClient({
    connect: () => {
      const socket = new FakeSocket();
      sockets.push(socket);
      return socket;
    },
    clock,
    parse: parseFrame,
    authentication: () => ({ userId: 7, ...(lastSeen ? { lastSeen } : {}) }),
    isSignedOut,
    onSignedOut,
    onStatus: (status) => statuses.push(status),
    onFrame: (frame) => frames.push(frame),
    onReopened,
    log: (message) => logged.push(message),
  });
  const socket = (): FakeSocket => sockets.at(-1)!;
  const letIn = (): void => {
    socket().accept();
    socket().deliver('authenticated', { userId: 7, state: 'idle' }, socket().last('authenticate')?.ref);
  };
  const open = (): void => {
    client.start();
    letIn();
  };
  return {
    client,
    clock,
    sockets,
    socket,
    statuses,
    status: () => statuses.at(-1),
    frames,
    logged,
    isSignedOut,
    onSignedOut,
    onReopened,
    letIn,
    open,
    see: (seen: { sessionId: string; seq: number }) => (lastSeen = seen),
  };
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

describe('opening', () => {
  it('authenticates once the socket is open, and reports open once the server acknowledges', () => {
    const { client, socket, status } = setUp();
    client.start();
    expect(status()).toEqual({ kind: 'connecting' });
    socket().accept();
    expect(socket().sent).toEqual([{ event: 'authenticate', data: { userId: 7 }, ref: '1' }]);
    expect(status()).toEqual({ kind: 'connecting' });
    socket().deliver('authenticated', { userId: 7, state: 'idle' }, '1');
    expect(status()).toEqual({ kind: 'open' });
  });

  it('sends the last version of the chat that it has received', () => {
    const { client, socket, see } = setUp();
    see({ sessionId: 's1', seq: 4 });
    client.start();
    socket().accept();
    expect(socket().last('authenticate')?.data).toEqual({ userId: 7, lastSeen: { sessionId: 's1', seq: 4 } });
  });

  it('accepts an authenticated frame without a ref', () => {
    const { client, socket, status } = setUp();
    client.start();
    socket().accept();
    socket().deliver('authenticated', { userId: 7, state: 'idle' });
    expect(status()).toEqual({ kind: 'open' });
  });

  it('opens one socket when started several times', () => {
    const { client, sockets } = setUp();
    client.start();
    client.start();
    expect(sockets).toHaveLength(1);
  });

  it('treats a refused or unanswered authenticate as a lost connection', async () => {
    const { client, socket, status, clock, sockets } = setUp();
    client.start();
    socket().accept();
    socket().refuse('authenticate', 'unavailable');
    await settled();
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(1_000);
    socket().accept();
    clock.advance(limits.authenticateTimeoutMs);
    await settled();
    expect(status()).toEqual({ kind: 'retrying', attempt: 2 });
    expect(sockets).toHaveLength(2);
  });
});

describe('losing the connection', () => {
  it('retries after 1, 2, 4, 8 and 16 s, then gives up', () => {
    const { open, socket, clock, sockets, status } = setUp();
    open();
    socket().drop(closeCodes.abnormal);
    for (const [index, delay] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      expect(status()).toEqual({ kind: 'retrying', attempt: index + 1 });
      expect(clock.pendingDelays).toEqual([delay]);
      clock.advance(delay - 1);
      expect(sockets).toHaveLength(index + 1);
      clock.advance(1);
      expect(sockets).toHaveLength(index + 2);
      socket().drop(closeCodes.abnormal);
    }
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
    expect(clock.pendingDelays).toEqual([]);
  });

  it.each([
    closeCodes.internalError,
    closeCodes.serviceRestart,
    closeCodes.consumerTooSlow,
    closeCodes.authenticateTimeout,
  ])('reconnects after close code %d', (code) => {
    const { open, socket, status } = setUp();
    open();
    socket().drop(code);
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it.each([
    closeCodes.normal,
    closeCodes.unsupportedData,
    closeCodes.policyViolation,
    closeCodes.messageTooBig,
    closeCodes.userMismatch,
    closeCodes.tooManySockets,
  ])('does not reconnect after close code %d', (code) => {
    const { open, socket, status, clock } = setUp();
    open();
    socket().drop(code);
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
    expect(clock.pendingDelays).toEqual([]);
  });

  it('resets the count of attempts only after five seconds of uptime', () => {
    const { open, letIn, socket, clock, status } = setUp();
    open();
    socket().drop(closeCodes.abnormal);
    clock.advance(1_000);
    letIn();
    clock.advance(4_999);
    socket().drop(closeCodes.abnormal);
    expect(status()).toEqual({ kind: 'retrying', attempt: 2 });
    clock.advance(2_000);
    letIn();
    clock.advance(5_000);
    socket().drop(closeCodes.abnormal);
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('reports that it was reopened, but not the first opening', () => {
    const { open, letIn, socket, clock, onReopened } = setUp();
    open();
    expect(onReopened).not.toHaveBeenCalled();
    socket().drop(closeCodes.serviceRestart);
    clock.advance(1_000);
    letIn();
    expect(onReopened).toHaveBeenCalledTimes(1);
  });

  it('ignores events of a superseded socket', () => {
    const { open, letIn, sockets, clock, frames, status, client } = setUp();
    open();
    const old = sockets[0]!;
    const { onmessage, onclose, onopen } = old;
    old.drop(closeCodes.abnormal);
    clock.advance(1_000);
    letIn();
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
    const { open, socket, client, clock, status } = setUp();
    open();
    client.stop();
    expect(socket().closedWith).toBe(closeCodes.normal);
    expect(status()).toEqual({ kind: 'closed' });
    expect(clock.pendingDelays).toEqual([]);
  });

  it('cancels a pending attempt when stopped', () => {
    const { open, socket, client, clock, sockets } = setUp();
    open();
    socket().drop(closeCodes.abnormal);
    client.stop();
    clock.advance(60_000);
    expect(sockets).toHaveLength(1);
  });
});

describe('Reconnect and coming online', () => {
  const givenUp = () => {
    const set = setUp();
    set.open();
    set.socket().drop(closeCodes.tooManySockets);
    return set;
  };

  it('starts a new series of attempts on Reconnect', () => {
    const { client, socket, sockets, status } = givenUp();
    client.reconnect();
    expect(sockets).toHaveLength(2);
    socket().drop(closeCodes.abnormal);
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('makes one attempt when the browser comes online', () => {
    const { client, socket, sockets, status } = givenUp();
    client.wake();
    expect(sockets).toHaveLength(2);
    socket().drop(closeCodes.abnormal);
    expect(status()).toEqual({ kind: 'failed', canReconnect: true });
  });

  it('connects at once when the browser comes online between two attempts, and starts no second timer', () => {
    const { open, client, socket, sockets, clock } = setUp();
    open();
    socket().drop(closeCodes.abnormal);
    client.wake();
    expect(sockets).toHaveLength(2);
    client.wake();
    clock.advance(1_000);
    expect(sockets).toHaveLength(2);
  });

  it('ignores Reconnect while connected', () => {
    const { open, client, sockets } = setUp();
    open();
    client.reconnect();
    expect(sockets).toHaveLength(1);
  });

  it('disables Reconnect for 30 s after a flood close', () => {
    const { open, socket, clock, status, client, sockets } = setUp();
    open();
    socket().drop(closeCodes.flooding);
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

describe('pinging', () => {
  it('pings every 60 s while open and stops on close', () => {
    const { open, socket, clock } = setUp();
    open();
    clock.advance(limits.pingIntervalMs);
    expect(socket().count('ping')).toBe(1);
    socket().deliver('pong', undefined, socket().last('ping')?.ref);
    clock.advance(limits.pingIntervalMs);
    expect(socket().count('ping')).toBe(2);
    socket().drop(closeCodes.normal);
    clock.advance(10 * limits.pingIntervalMs);
    expect(socket().count('ping')).toBe(2);
  });

  it('treats an unanswered ping as a lost connection', async () => {
    const { open, socket, clock, status } = setUp();
    open();
    clock.advance(limits.pingIntervalMs);
    expect(socket().count('ping')).toBe(1);
    clock.advance(10_000);
    await settled();
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('probes an open connection when the browser comes online', () => {
    const { open, client, socket } = setUp();
    open();
    client.wake();
    expect(socket().count('ping')).toBe(1);
  });

  it('aborts a handshake that hangs for ten seconds and retries', () => {
    const { client, clock, status, sockets } = setUp();
    client.start();
    clock.advance(10_000);
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(1_000);
    expect(sockets).toHaveLength(2);
  });

  it('keeps a connection whose pong is late while other frames arrive', async () => {
    const { open, client, socket, clock, status } = setUp();
    open();
    client.wake();
    clock.advance(2_999);
    socket().deliver('typing', { sessionId: 's1', userId: 8 });
    clock.advance(1);
    await settled();
    expect(status()).toEqual({ kind: 'open' });
  });

  it('probes after a silence of 3 s with an unanswered command, and drops the connection after 3 s more', async () => {
    const { open, client, socket, clock, status } = setUp();
    open();
    client.request('skip_chat', { sessionId: 's1' }).catch(() => undefined);
    clock.advance(2_999);
    expect(socket().count('ping')).toBe(0);
    clock.advance(1);
    expect(socket().count('ping')).toBe(1);
    clock.advance(3_000);
    await settled();
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
  });

  it('does not probe while frames arrive or once the command is acknowledged', () => {
    const { open, client, socket, clock } = setUp();
    open();
    void client.request('skip_chat', { sessionId: 's1' });
    clock.advance(2_000);
    socket().deliver('typing', { sessionId: 's1', userId: 8 });
    clock.advance(2_000);
    socket().deliver('ack', { seq: 3 }, socket().last('skip_chat')?.ref);
    clock.advance(10_000);
    expect(socket().count('ping')).toBe(0);
  });
});

describe('sending', () => {
  it('returns false, and only logs, while not connected', () => {
    const { client, logged, socket } = setUp();
    client.start();
    expect(client.send('typing', { sessionId: 's1' })).toBe(false);
    socket().accept();
    expect(client.send('typing', { sessionId: 's1' })).toBe(false);
    expect(logged).toEqual(['Not connected: typing was not sent', 'Not connected: typing was not sent']);
  });

  it('sends frames that need no response without a ref', () => {
    const { open, client, socket } = setUp();
    open();
    expect(client.send('skip_chat', { sessionId: 's1' })).toBe(true);
    expect(socket().sent.at(-1)).toEqual({ event: 'skip_chat', data: { sessionId: 's1' } });
  });

  it('settles each request by its own ref, in any order of the responses', async () => {
    const { open, client, socket } = setUp();
    open();
    const first = client.request('join_queue', { preferences: 'both' });
    const second = client.request('leave_queue', {});
    const [firstRef, secondRef] = [socket().last('join_queue')?.ref, socket().last('leave_queue')?.ref];
    expect(firstRef).not.toBe(secondRef);
    socket().deliver('ack', { n: 2 }, secondRef);
    socket().deliver('ack', { n: 1 }, firstRef);
    await expect(first).resolves.toEqual({ n: 1 });
    await expect(second).resolves.toEqual({ n: 2 });
  });

  it('delivers an ack before the frame that follows it', () => {
    const { open, client, socket, frames } = setUp();
    open();
    const order: string[] = [];
    void client.request('leave_queue', {}, { onAck: () => order.push(`ack after ${frames.length} frames`) });
    const before = frames.length;
    socket().ack('leave_queue');
    socket().deliver('queue_left', {});
    expect(order).toEqual([`ack after ${before} frames`]);
  });

  it('rejects with the error code, on a time-out, on a close, and at once when not connected', async () => {
    const { open, client, socket, clock } = setUp();
    await expect(client.request('leave_queue', {})).rejects.toMatchObject({ failure: 'not_connected' });
    open();
    const refused = client.request('join_queue', { preferences: 'both' });
    socket().refuse('join_queue', 'rate_limited', 900);
    await expect(refused).rejects.toMatchObject({
      failure: 'refused',
      code: 'rate_limited',
      retryAfterMs: 900,
    });
    const late = client.request('leave_queue', {}, { timeoutMs: 500 });
    clock.advance(500);
    await expect(late).rejects.toMatchObject({ failure: 'timeout' });
    const cut = client.request('leave_queue', {});
    socket().drop(closeCodes.abnormal);
    await expect(cut).rejects.toBeInstanceOf(SocketRequestError);
    await expect(cut).rejects.toMatchObject({ failure: 'closed' });
  });

  it('authenticates again on the same socket to fetch missed events', () => {
    const { open, client, socket, sockets, see, status } = setUp();
    open();
    see({ sessionId: 's1', seq: 3 });
    client.resync();
    expect(sockets).toHaveLength(1);
    expect(socket().last('authenticate')?.data).toEqual({ userId: 7, lastSeen: { sessionId: 's1', seq: 3 } });
    expect(status()).toEqual({ kind: 'open' });
  });
});

describe('receiving', () => {
  it('delivers frames in order, without acks, and drops invalid and unknown ones', () => {
    const { open, socket, frames, logged } = setUp();
    open();
    socket().deliver('queue_joined', { preferences: 'both', since: '2026-11-20T12:00:00.000Z' });
    socket().deliverText('{');
    socket().deliverText('{"event":"from_the_future","data":{}}');
    socket().deliver('queue_joined', { preferences: 'nobody' });
    socket().deliver('queue_left', {});
    expect(frames.map(({ event }) => event)).toEqual(['authenticated', 'queue_joined', 'queue_left']);
    expect(logged).toHaveLength(3);
  });
});
