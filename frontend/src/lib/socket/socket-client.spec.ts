import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { flushPromises } from '@/testing/flush-promises';
import { createSocketClient, openSocketClient } from '@/testing/socket-client.fixture';

describe('opening a connection', () => {
  it('authenticates once the socket is open, and reports open once the server acknowledges', () => {
    const { client, getCurrentSocket, getStatus } = createSocketClient();
    client.start();
    expect(getStatus()).toEqual({ kind: 'connecting' });
    getCurrentSocket().accept();
    expect(getCurrentSocket().sent).toEqual([{ event: 'authenticate', data: { userId: 7 }, ref: '1' }]);
    expect(getStatus()).toEqual({ kind: 'connecting' });
    getCurrentSocket().deliver('authenticated', { userId: 7, state: 'idle' }, '1');
    expect(getStatus()).toEqual({ kind: 'open' });
  });

  it('authenticates with the seq of the last event received in the chat', () => {
    const { client, getCurrentSocket, setLastSeen } = createSocketClient();
    setLastSeen({ sessionId: 's1', seq: 4 });
    client.start();
    getCurrentSocket().accept();
    expect(getCurrentSocket().findLast('authenticate')?.data).toEqual({
      userId: 7,
      lastSeen: { sessionId: 's1', seq: 4 },
    });
  });

  it('accepts an authenticated frame without a ref', () => {
    const { client, getCurrentSocket, getStatus } = createSocketClient();
    client.start();
    getCurrentSocket().accept();
    getCurrentSocket().deliver('authenticated', { userId: 7, state: 'idle' });
    expect(getStatus()).toEqual({ kind: 'open' });
  });

  it('opens one socket when started several times', () => {
    const { client, sockets } = createSocketClient();
    client.start();
    client.start();
    expect(sockets).toHaveLength(1);
  });

  it('treats a refused authenticate as a lost connection', async () => {
    const { client, getCurrentSocket, getStatus, clock, sockets } = createSocketClient();
    client.start();
    getCurrentSocket().accept();
    getCurrentSocket().refuse('authenticate', 'unavailable');
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(limits.reconnectInitialDelayMs);
    expect(sockets).toHaveLength(2);
  });

  it('treats an unanswered authenticate as a lost connection, also in a later attempt', async () => {
    const { client, getCurrentSocket, getStatus, clock, sockets } = createSocketClient();
    client.start();
    getCurrentSocket().accept();
    clock.advance(limits.authenticateTimeoutMs);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(limits.reconnectInitialDelayMs);
    getCurrentSocket().accept();
    clock.advance(limits.authenticateTimeoutMs);
    await flushPromises();
    expect(getStatus()).toEqual({ kind: 'retrying', attempt: 2 });
    expect(sockets).toHaveLength(2);
  });
});

describe('sending frames', () => {
  it('logs and returns false when a frame is sent while not connected', () => {
    const { client, logged, getCurrentSocket } = createSocketClient();
    client.start();
    expect(client.send('typing', { sessionId: 's1' })).toBe(false);
    // The socket is open, but the client is not authenticated.
    getCurrentSocket().accept();
    expect(client.send('typing', { sessionId: 's1' })).toBe(false);
    expect(logged).toEqual(['Not connected: typing was not sent', 'Not connected: typing was not sent']);
  });

  it('sends frames that need no response without a ref', () => {
    const { client, getCurrentSocket } = openSocketClient();
    expect(client.send('skip_chat', { sessionId: 's1' })).toBe(true);
    expect(getCurrentSocket().sent.at(-1)).toEqual({ event: 'skip_chat', data: { sessionId: 's1' } });
  });

  it('settles each request by its own ref, in any order of the responses', async () => {
    const { client, getCurrentSocket } = openSocketClient();
    const join = client.request('join_queue', { preferences: 'both' });
    const leave = client.request('leave_queue', {});
    const joinRef = getCurrentSocket().findLast('join_queue')?.ref;
    const leaveRef = getCurrentSocket().findLast('leave_queue')?.ref;
    expect(joinRef).not.toBe(leaveRef);
    getCurrentSocket().deliver('ack', { n: 2 }, leaveRef);
    getCurrentSocket().deliver('ack', { n: 1 }, joinRef);
    await expect(join).resolves.toEqual({ n: 1 });
    await expect(leave).resolves.toEqual({ n: 2 });
  });

  it('delivers an ack before the frame that follows it', () => {
    const { client, getCurrentSocket, frames } = openSocketClient();
    const frameCountBefore = frames.length;
    const frameCountsOnAck: number[] = [];
    void client.request('leave_queue', {}, { onAck: () => frameCountsOnAck.push(frames.length) });
    getCurrentSocket().ack('leave_queue');
    getCurrentSocket().deliver('queue_left', {});
    expect(frameCountsOnAck).toEqual([frameCountBefore]);
    expect(frames).toHaveLength(frameCountBefore + 1);
  });

  it('rejects a request immediately when not connected', async () => {
    const { client } = createSocketClient();
    await expect(client.request('leave_queue', {})).rejects.toMatchObject({ failure: 'not_connected' });
  });

  it('rejects a refused request with the code and the delay that the server sent', async () => {
    const { client, getCurrentSocket } = openSocketClient();
    const refused = client.request('join_queue', { preferences: 'both' });
    getCurrentSocket().refuse('join_queue', 'rate_limited', 900);
    await expect(refused).rejects.toMatchObject({
      failure: 'refused',
      code: 'rate_limited',
      retryAfterMs: 900,
    });
  });

  it('rejects a request that is not answered in time', async () => {
    const { client, clock } = openSocketClient();
    const unanswered = client.request('leave_queue', {}, { timeoutMs: 500 });
    clock.advance(500);
    await expect(unanswered).rejects.toMatchObject({ failure: 'timeout' });
  });

  it('rejects a pending request when the connection is lost', async () => {
    const { client, getCurrentSocket } = openSocketClient();
    const interrupted = client.request('leave_queue', {});
    getCurrentSocket().drop(closeCodes.abnormal);
    await expect(interrupted).rejects.toBeInstanceOf(SocketRequestError);
    await expect(interrupted).rejects.toMatchObject({ failure: 'closed' });
  });

  it('resync authenticates again on the same socket, with the seq of the last received event', () => {
    const { client, getCurrentSocket, sockets, setLastSeen, getStatus } = openSocketClient();
    setLastSeen({ sessionId: 's1', seq: 3 });
    client.resync();
    expect(sockets).toHaveLength(1);
    expect(getCurrentSocket().findLast('authenticate')?.data).toEqual({
      userId: 7,
      lastSeen: { sessionId: 's1', seq: 3 },
    });
    expect(getStatus()).toEqual({ kind: 'open' });
  });
});

describe('receiving frames', () => {
  it('delivers frames in order, and drops invalid and unknown ones', () => {
    const { getCurrentSocket, frames, logged } = openSocketClient();
    getCurrentSocket().deliver('queue_joined', { preferences: 'both', since: '2026-11-20T12:00:00.000Z' });
    getCurrentSocket().deliverText('{');
    getCurrentSocket().deliverText('{"event":"from_the_future","data":{}}');
    getCurrentSocket().deliver('queue_joined', { preferences: 'nobody' });
    getCurrentSocket().deliver('queue_left', {});
    expect(frames.map(({ event }) => event)).toEqual(['authenticated', 'queue_joined', 'queue_left']);
    expect(logged).toHaveLength(3);
  });
});
