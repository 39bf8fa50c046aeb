// Runs on real TCP sockets on the loopback address. The near end of a connection is the client, the far end the server.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { until } from '../../../src/testing/until.functions';
import { DELAY_MS, FaultyLink } from './faulty-link';

let server: Server;
let link: FaultyLink;
/** The far ends of the connections; each echoes the data that it receives. */
let serverSockets: Socket[];
const clients: Socket[] = [];

beforeEach(async () => {
  serverSockets = [];
  server = createServer((socket) => {
    serverSockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => socket.write(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  link = await FaultyLink.startTo({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await link.close();
  for (const socket of serverSockets) socket.destroy();
  server.close();
});

const openSocket = async (): Promise<{ socket: Socket; received: () => string }> => {
  const socket = connect(link.port, '127.0.0.1');
  clients.push(socket);
  let received = '';
  socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return { socket, received: () => received };
};

/** Waits for `close`. `once` would reject when a reset emits `error`. */
const waitForClose = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve));

it('a link without a fault forwards bytes', async () => {
  const { socket, received } = await openSocket();
  socket.write('hello');
  await until(() => received() === 'hello');
});

it('a cut link resets open and new connections until it is restored', async () => {
  const { socket } = await openSocket();
  link.fail('cut');
  await waitForClose(socket);
  const secondSocket = connect(link.port, '127.0.0.1').on('error', () => undefined);
  await waitForClose(secondSocket);
  link.restore();
  const { socket: thirdSocket, received } = await openSocket();
  thirdSocket.write('back');
  await until(() => received() === 'back');
});

it('a black hole delivers no data until it is restored, and then all of it', async () => {
  const { socket, received } = await openSocket();
  socket.write('before ');
  await until(() => received() === 'before ');
  link.fail('black-hole');
  socket.write('during');
  const { socket: secondSocket, received: receivedBySecond } = await openSocket();
  secondSocket.write('second');
  await until(() => socket.bytesWritten === 'before during'.length);
  expect([received(), receivedBySecond()]).toEqual(['before ', '']);
  expect(socket.destroyed).toBe(false);
  link.restore();
  await until(() => received() === 'before during' && receivedBySecond() === 'second');
});

it('a delayed link delivers bytes late and in order', async () => {
  const { socket, received } = await openSocket();
  link.fail('delay');
  const sentAt = Date.now();
  // The delay applies in each direction; timers may be 10 ms inaccurate.
  const minDelayMs = 2 * DELAY_MS - 10;
  socket.write('one ');
  socket.write('two');
  await until(() => received() === 'one two');
  expect(Date.now() - sentAt).toBeGreaterThanOrEqual(minDelayMs);
});

it('a throttled link limits the bytes per second', async () => {
  const { socket, received } = await openSocket();
  link.fail('throttle');
  const sentAt = Date.now();
  socket.write('x'.repeat(6_000));
  await until(() => received().length === 6_000);
  // At 8 KiB a second, 6,000 bytes take 730 ms, or 630 ms if the token bucket is full at the start. 500 ms leaves a
  // margin for timers.
  expect(Date.now() - sentAt).toBeGreaterThan(500);
});

it('a half-open link closes far ends and keeps near ends open, and resets the near ends when restored', async () => {
  const { socket, received } = await openSocket();
  socket.write('x');
  await until(() => received() === 'x');
  link.fail('half-open');
  await until(() => serverSockets.every(({ destroyed }) => destroyed));
  socket.write('hello?');
  await until(() => socket.bytesWritten === 'xhello?'.length);
  expect(socket.destroyed).toBe(false);
  link.restore();
  await waitForClose(socket);
});

it('an abandoned link closes near ends, forwards new connections, and closes old far ends once restored', async () => {
  const { socket, received } = await openSocket();
  socket.write('x');
  await until(() => received() === 'x');
  link.fail('abandoned');
  await waitForClose(socket);
  const { socket: newSocket, received: receivedByNew } = await openSocket();
  newSocket.write('back');
  await until(() => receivedByNew() === 'back');
  expect(serverSockets.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  link.restore();
  await until(() => serverSockets[0]!.destroyed);
  newSocket.write(' still');
  await until(() => receivedByNew() === 'back still');
});

it('a link closes a connection to a target that is down', async () => {
  server.close();
  const socket = connect(link.port, '127.0.0.1').on('error', () => undefined);
  await waitForClose(socket);
});
