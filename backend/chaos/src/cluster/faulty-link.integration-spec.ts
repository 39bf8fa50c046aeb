// Runs on real TCP sockets on the loopback address.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { until } from '../../../src/testing/until.functions';
import { FaultyLink } from './faulty-link';

let server: Server;
let link: FaultyLink;
/** The server's ends of the connections; each echoes what it receives. */
let served: Socket[];
const clients: Socket[] = [];

beforeEach(async () => {
  served = [];
  server = createServer((socket) => {
    served.push(socket);
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
  for (const socket of served) socket.destroy();
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

/** Unlike `once`, does not fail the test on a reset. */
const waitForClose = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve));

it('a healthy link passes bytes on', async () => {
  const { socket, received } = await openSocket();
  socket.write('hello');
  await until(() => received() === 'hello');
});

it('a cut link resets open and new connections until it heals', async () => {
  const { socket } = await openSocket();
  link.fail('cut');
  await waitForClose(socket);
  const another = connect(link.port, '127.0.0.1').on('error', () => undefined);
  await waitForClose(another);
  link.restore();
  const { socket: third, received } = await openSocket();
  third.write('back');
  await until(() => received() === 'back');
});

it('a black hole holds everything back and delivers it after healing', async () => {
  const { socket, received } = await openSocket();
  socket.write('before ');
  await until(() => received() === 'before ');
  link.fail('black-hole');
  socket.write('held');
  const { received: fromOther, socket: other } = await openSocket();
  other.write('from another');
  await until(() => socket.bytesWritten === 'before held'.length);
  expect([received(), fromOther()]).toEqual(['before ', '']);
  expect(socket.destroyed).toBe(false);
  link.restore();
  await until(() => received() === 'before held' && fromOther() === 'from another');
});

it('a delayed link delivers in order', async () => {
  const { socket, received } = await openSocket();
  link.fail('delay');
  const sentAt = Date.now();
  // 400 ms in each direction, minus the inaccuracy of timers.
  const minDelayMs = 2 * 400 - 10;
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
  // 8 KiB a second, of which a tenth of a second may pass at once.
  expect(Date.now() - sentAt).toBeGreaterThan(500);
});

it('a half-open link keeps near ends open without far ends, and resets them on healing', async () => {
  const { socket, received } = await openSocket();
  socket.write('x');
  await until(() => received() === 'x');
  link.fail('half-open');
  await until(() => served.every(({ destroyed }) => destroyed));
  socket.write('is anyone there?');
  await until(() => socket.bytesWritten > 1);
  expect(socket.destroyed).toBe(false);
  link.restore();
  await waitForClose(socket);
});

it('an abandoned link keeps far ends open, passes new connections, and resets old ones on healing', async () => {
  const { socket, received } = await openSocket();
  socket.write('x');
  await until(() => received() === 'x');
  link.fail('abandoned');
  await waitForClose(socket);
  const { socket: another, received: fromOther } = await openSocket();
  another.write('back');
  await until(() => fromOther() === 'back');
  expect(served.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  link.restore();
  await until(() => served[0]!.destroyed);
  another.write(' still');
  await until(() => fromOther() === 'back still');
});

it('a link resets a connection to a target that is down', async () => {
  server.close();
  const socket = connect(link.port, '127.0.0.1').on('error', () => undefined);
  await waitForClose(socket);
});
