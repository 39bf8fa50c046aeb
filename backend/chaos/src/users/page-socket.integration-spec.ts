// Runs against a real WebSocket server on the loopback address.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { until } from '../../../src/testing/until.functions';
import { ANSWER_WITHIN_MS, type Frame, PageSocket } from './page-socket';

let server: WebSocketServer;
let socket: PageSocket;

afterEach(() => {
  jest.useRealTimers();
  socket.drop();
  server.close();
});

it('passes a late acknowledgement on before the frames that follow it', async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  let isOpen = false;
  const seen: string[] = [];
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  socket = new PageSocket(`http://127.0.0.1:${port}`, '', {
    onOpen: () => (isOpen = true),
    onFrame: ({ event, ref }) => seen.push(ref === undefined ? event : `${event} as a frame`),
    onClose: () => undefined,
  });
  const [served] = await connected;
  await until(() => isOpen);
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'Date'] });
  const reply = socket.request('ping', {}, ({ event }: Frame) => seen.push(event));
  jest.advanceTimersByTime(ANSWER_WITHIN_MS);
  expect(await reply).toBe('timeout');
  jest.useRealTimers();
  served.send(JSON.stringify({ event: 'ack', data: { seq: 2 }, ref: '1' }));
  served.send(JSON.stringify({ event: 'random_message', data: { seq: 3 } }));
  await until(() => seen.length === 3);
  expect(seen).toEqual(['ack', 'ack as a frame', 'random_message']);
});
