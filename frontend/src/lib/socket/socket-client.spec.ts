import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { flushPromises } from '@/testing/flush-promises';
import { createSocketClient, openSocketClient } from '@/testing/socket-client.fixture';

describe('opening a connection', () => {
  it('authenticates once the socket is open, and reports open once the server acknowledges', () => {
    const { client, currentSocket, status } = createSocketClient();
    client.start();
    expect(status()).toEqual({ kind: 'connecting' });
    currentSocket().accept();
    expect(currentSocket().sent).toEqual([{ event: 'authenticate', data: { userId: 7 }, ref: '1' }]);
    expect(status()).toEqual({ kind: 'connecting' });
    currentSocket().deliver('authenticated', { userId: 7, state: 'idle' }, '1');
    expect(status()).toEqual({ kind: 'open' });
  });

  it('sends the last version of the chat that it has received', () => {
    const { client, currentSocket, setLastSeen } = createSocketClient();
    setLastSeen({ sessionId: 's1', seq: 4 });
    client.start();
    currentSocket().accept();
    expect(currentSocket().last('authenticate')?.data).toEqual({
      userId: 7,
      lastSeen: { sessionId: 's1', seq: 4 },
    });
  });

  it('accepts an authenticated frame without a ref', () => {
    const { client, currentSocket, status } = createSocketClient();
    client.start();
    currentSocket().accept();
    currentSocket().deliver('authenticated', { userId: 7, state: 'idle' });
    expect(status()).toEqual({ kind: 'open' });
  });

  it('opens one socket when started several times', () => {
    const { client, sockets } = createSocketClient();
    client.start();
    client.start();
    expect(sockets).toHaveLength(1);
  });

  it('treats a refused or unanswered authenticate as a lost connection', async () => {
    const { client, currentSocket, status, clock, sockets } = createSocketClient();
    client.start();
    currentSocket().accept();
    currentSocket().refuse('authenticate', 'unavailable');
    await flushPromises();
    expect(status()).toEqual({ kind: 'retrying', attempt: 1 });
    clock.advance(1_000);
    currentSocket().accept();
    clock.advance(limits.authenticateTimeoutMs);
    await flushPromises();
    expect(status()).toEqual({ kind: 'retrying', attempt: 2 });
    expect(sockets).toHaveLength(2);
  });
});

describe('sending frames', () => {
  it('returns false, and only logs, while not connected', () => {
    const { client, logged, currentSocket } = createSocketClient();
    client.start();
    expect(client.send('typing', { sessionId: 's1' })).toBe(false);
    currentSocket().accept();
    expect(client.send('typing', { sessionId: 's1' })).toBe(false);
    expect(logged).toEqual(['Not connected: typing was not sent', 'Not connected: typing was not sent']);
  });

  it('sends frames that need no response without a ref', () => {
    const { client, currentSocket } = openSocketClient();
    expect(client.send('skip_chat', { sessionId: 's1' })).toBe(true);
    expect(currentSocket().sent.at(-1)).toEqual({ event: 'skip_chat', data: { sessionId: 's1' } });
  });

  it('settles each request by its own ref, in any order of the responses', async () => {
    const { client, currentSocket } = openSocketClient();
    const first = client.request('join_queue', { preferences: 'both' });
    const second = client.request('leave_queue', {});
    const [firstRef, secondRef] = [
      currentSocket().last('join_queue')?.ref,
      currentSocket().last('leave_queue')?.ref,
    ];
    expect(firstRef).not.toBe(secondRef);
    currentSocket().deliver('ack', { n: 2 }, secondRef);
    currentSocket().deliver('ack', { n: 1 }, firstRef);
    await expect(first).resolves.toEqual({ n: 1 });
    await expect(second).resolves.toEqual({ n: 2 });
  });

  it('delivers an ack before the frame that follows it', () => {
    const { client, currentSocket, frames } = openSocketClient();
    const order: string[] = [];
    void client.request('leave_queue', {}, { onAck: () => order.push(`ack after ${frames.length} frames`) });
    const before = frames.length;
    currentSocket().ack('leave_queue');
    currentSocket().deliver('queue_left', {});
    expect(order).toEqual([`ack after ${before} frames`]);
  });

  it('rejects with the error code, on a time-out, on a close, and at once when not connected', async () => {
    const { client, acceptConnection, currentSocket, clock } = createSocketClient();
    await expect(client.request('leave_queue', {})).rejects.toMatchObject({ failure: 'not_connected' });
    client.start();
    acceptConnection();
    const refused = client.request('join_queue', { preferences: 'both' });
    currentSocket().refuse('join_queue', 'rate_limited', 900);
    await expect(refused).rejects.toMatchObject({
      failure: 'refused',
      code: 'rate_limited',
      retryAfterMs: 900,
    });
    const late = client.request('leave_queue', {}, { timeoutMs: 500 });
    clock.advance(500);
    await expect(late).rejects.toMatchObject({ failure: 'timeout' });
    const cut = client.request('leave_queue', {});
    currentSocket().drop(closeCodes.abnormal);
    await expect(cut).rejects.toBeInstanceOf(SocketRequestError);
    await expect(cut).rejects.toMatchObject({ failure: 'closed' });
  });

  it('authenticates again on the same socket to fetch missed events', () => {
    const { client, currentSocket, sockets, setLastSeen, status } = openSocketClient();
    setLastSeen({ sessionId: 's1', seq: 3 });
    client.resync();
    expect(sockets).toHaveLength(1);
    expect(currentSocket().last('authenticate')?.data).toEqual({
      userId: 7,
      lastSeen: { sessionId: 's1', seq: 3 },
    });
    expect(status()).toEqual({ kind: 'open' });
  });
});

describe('receiving frames', () => {
  it('delivers frames in order, without acks, and drops invalid and unknown ones', () => {
    const { currentSocket, frames, logged } = openSocketClient();
    currentSocket().deliver('queue_joined', { preferences: 'both', since: '2026-11-20T12:00:00.000Z' });
    currentSocket().deliverText('{');
    currentSocket().deliverText('{"event":"from_the_future","data":{}}');
    currentSocket().deliver('queue_joined', { preferences: 'nobody' });
    currentSocket().deliver('queue_left', {});
    expect(frames.map(({ event }) => event)).toEqual(['authenticated', 'queue_joined', 'queue_left']);
    expect(logged).toHaveLength(3);
  });
});
