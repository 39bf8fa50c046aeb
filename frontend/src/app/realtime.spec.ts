import { act } from '@testing-library/react';
import { limits } from '@thaw/contract/limits';
import { startRealtime } from '@/app/realtime';
import { useConnection } from '@/lib/socket/connection';
import { signIn } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { FakeSocket } from '@/testing/fake-socket';

// Uses the real socket client, stores and listeners of the page. Only the other end of the socket is a fake.

const sockets: FakeSocket[] = [];
const socket = (): FakeSocket => sockets.at(-1)!;

const show = (visibility: DocumentVisibilityState): void => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
  document.dispatchEvent(new Event('visibilitychange'));
};

/** Dispatches `pageshow`: a page restored from the back/forward cache, or shown for the first time. */
const pageShow = (isRestored: boolean): void => {
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: isRestored }));
};

const letIn = (): void =>
  act(() => {
    socket().accept();
    socket().deliver('authenticated', { userId: 7, state: 'idle' }, socket().last('authenticate')?.ref);
  });

const wakeUps: [name: string, happen: () => void][] = [
  ['a page that comes back from the back/forward cache', () => pageShow(true)],
  ['a page that was frozen and is resumed', () => document.dispatchEvent(new Event('resume'))],
  ['a tab that is shown again', () => show('visible')],
  ['a browser that is online again', () => window.dispatchEvent(new Event('online'))],
];

beforeAll(() => {
  jest.useFakeTimers();
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  Object.assign(globalThis, {
    WebSocket: jest.fn(() => {
      sockets.push(new FakeSocket());
      return socket();
    }),
  });
  signIn(aUser());
  startRealtime();
  letIn();
});
beforeEach(() => {
  if (useConnection.getState().status.kind !== 'open') letIn();
  // A connection that stays open for this long resets the count of attempts.
  jest.advanceTimersByTime(limits.reconnectResetAfterMs);
});
afterAll(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

it.each(wakeUps)('probes the connection for %s', (_name, happen) => {
  const probes = socket().count('ping');
  happen();
  expect(socket().count('ping')).toBe(probes + 1);
  socket().deliver('pong');
});

it.each(wakeUps)('connects at once between two attempts for %s', (_name, happen) => {
  const opened = sockets.length;
  act(() => socket().drop(1006));
  expect(useConnection.getState().status).toEqual({ kind: 'retrying', attempt: 1 });
  expect(sockets).toHaveLength(opened);
  act(happen);
  expect(sockets).toHaveLength(opened + 1);
});

it('does nothing when the page is shown for the first time, or hidden', () => {
  const probes = socket().count('ping');
  pageShow(false);
  show('hidden');
  expect(socket().count('ping')).toBe(probes);
});
