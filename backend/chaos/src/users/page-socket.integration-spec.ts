// Runs against a real WebSocket server on the loopback address.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { until } from '../../../src/testing/until.functions';
import { type Frame, PageSocket, RESPONSE_TIMEOUT_MS } from './page-socket';

let server: WebSocketServer;
let socket: PageSocket;

afterEach(() => {
  jest.useRealTimers();
  socket.drop();
  server.close();
});

it('PageSocket passes a response to `onResponse` before `onFrame`, even after the timeout', async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const noCookie = '';
  let isOpen = false;
  const calls: string[] = [];
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  socket = new PageSocket(`http://127.0.0.1:${port}`, noCookie, {
    onOpen: () => (isOpen = true),
    onFrame: ({ event }) => calls.push(`onFrame ${event}`),
    onClose: () => undefined,
  });
  const [serverSocket] = await connected;
  await until(() => isOpen);
  // Only the timers have to be fake. The sockets need the real `nextTick` and `setImmediate`.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'Date'] });
  const response = socket.request('ping', {}, ({ event }: Frame) => calls.push(`onResponse ${event}`));
  jest.advanceTimersByTime(RESPONSE_TIMEOUT_MS);
  expect(await response).toBe('timeout');
  jest.useRealTimers();
  // The first request of a socket has the ref 1.
  serverSocket.send(JSON.stringify({ event: 'ack', data: { seq: 2 }, ref: '1' }));
  serverSocket.send(JSON.stringify({ event: 'random_message', data: { seq: 3 } }));
  await until(() => calls.length === 3);
  expect(calls).toEqual(['onResponse ack', 'onFrame ack', 'onFrame random_message']);
});
