import { act } from '@testing-library/react';
import { closeCodes } from '@thaw/contract/close-codes';
import { limits } from '@thaw/contract/limits';
import { startRealtime } from '@/app/realtime';
import { useConnection } from '@/lib/socket/connection';
import { signIn } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { FakeSocket } from '@/testing/fake-socket';

// Uses the real socket client, stores and listeners of the page. Only the WebSocket is a fake.

const me = aUser();
const sockets: FakeSocket[] = [];
const getCurrentSocket = (): FakeSocket => sockets.at(-1)!;

const setVisibility = (visibility: DocumentVisibilityState): void => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
  document.dispatchEvent(new Event('visibilitychange'));
};

/** `persisted`: whether the page comes from the back/forward cache; false when it is shown for the first time. */
const dispatchPageShow = ({ persisted }: { persisted: boolean }): void => {
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
};

const acceptConnection = (): void =>
  act(() => {
    const socket = getCurrentSocket();
    socket.accept();
    const ref = socket.findLast('authenticate')?.ref;
    socket.deliver('authenticated', { userId: me.id, state: 'idle' }, ref);
  });

const wakeUps: [name: string, wakeUp: () => void][] = [
  ['the page is restored from the back/forward cache', () => dispatchPageShow({ persisted: true })],
  ['the page was frozen and is resumed', () => document.dispatchEvent(new Event('resume'))],
  ['the tab is shown again', () => setVisibility('visible')],
  ['the browser is online again', () => window.dispatchEvent(new Event('online'))],
];

beforeAll(() => {
  jest.useFakeTimers();
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  Object.assign(globalThis, {
    WebSocket: jest.fn(() => {
      sockets.push(new FakeSocket());
      return getCurrentSocket();
    }),
  });
  signIn(me);
  startRealtime();
  acceptConnection();
});
beforeEach(() => {
  // A test of reconnecting ends with a new socket that the server has not accepted yet.
  if (useConnection.getState().status.kind !== 'open') acceptConnection();
  // A connection that stays open for this long resets the number of attempts to reconnect.
  jest.advanceTimersByTime(limits.reconnectResetAfterMs);
});
afterAll(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

it.each(wakeUps)('probes the connection with a ping when %s', (_name, wakeUp) => {
  const pingCount = getCurrentSocket().count('ping');
  wakeUp();
  expect(getCurrentSocket().count('ping')).toBe(pingCount + 1);
  // Any frame ends the probe, so the client keeps the connection for the next test.
  getCurrentSocket().deliver('pong');
});

it.each(wakeUps)('reconnects without waiting for the end of the retry delay when %s', (_name, wakeUp) => {
  const socketCount = sockets.length;
  act(() => getCurrentSocket().drop(closeCodes.abnormal));
  expect(useConnection.getState().status).toEqual({ kind: 'retrying', attempt: 1 });
  expect(sockets).toHaveLength(socketCount);
  act(wakeUp);
  expect(sockets).toHaveLength(socketCount + 1);
});

it('does not probe the connection when the page is shown for the first time or is hidden', () => {
  const pingCount = getCurrentSocket().count('ping');
  dispatchPageShow({ persisted: false });
  setVisibility('hidden');
  expect(getCurrentSocket().count('ping')).toBe(pingCount);
});
