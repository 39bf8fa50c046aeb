// Runs on real TCP sockets on the loopback address. The near end of a connection is a client. The far end is a server,
// which echoes the data that it receives.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { until } from '../../../src/testing/until.functions';
import { DELAY_MS, FaultyLink } from './faulty-link';

interface NearEnd {
  socket: Socket;
  /** The data that it has received so far. */
  readonly received: string;
}

let server: Server;
let link: FaultyLink;
/** The far ends of all connections, in the order in which they were opened. */
let farEnds: Socket[];
const nearSockets: Socket[] = [];

beforeEach(async () => {
  farEnds = [];
  server = createServer((socket) => {
    farEnds.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => socket.write(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  link = await FaultyLink.startTo({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
});

afterEach(async () => {
  for (const socket of nearSockets.splice(0)) socket.destroy();
  await link.close();
  for (const socket of farEnds) socket.destroy();
  server.close();
});

const startConnecting = (): Socket => {
  const socket = connect(link.port, '127.0.0.1');
  nearSockets.push(socket);
  socket.on('error', () => undefined);
  return socket;
};

/** Opens a connection through the link. */
const openNearEnd = async (): Promise<NearEnd> => {
  const socket = startConnecting();
  let received = '';
  socket.on('data', (bytes: Buffer) => (received += bytes.toString()));
  await once(socket, 'connect');
  return {
    socket,
    get received() {
      return received;
    },
  };
};

/** Waits until a near end has sent this text, which is all that it sends. */
const waitUntilSent = async ({ socket }: NearEnd, text: string): Promise<void> => {
  await until(() => socket.bytesWritten === text.length);
};

/** Waits for `close`. `once` would reject when a reset emits `error`. */
const waitForClose = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve));

it('a link without a fault forwards bytes', async () => {
  const nearEnd = await openNearEnd();
  nearEnd.socket.write('hello');
  await until(() => nearEnd.received === 'hello');
});

it('a cut link resets open and new connections until it is restored', async () => {
  const first = await openNearEnd();
  link.fail('cut');
  await waitForClose(first.socket);
  await waitForClose(startConnecting());
  link.restore();
  const last = await openNearEnd();
  last.socket.write('back');
  await until(() => last.received === 'back');
});

it('a black hole delivers no data until it is restored, and then all of it', async () => {
  const first = await openNearEnd();
  first.socket.write('before ');
  await until(() => first.received === 'before ');
  link.fail('black-hole');
  first.socket.write('during');
  const second = await openNearEnd();
  second.socket.write('second');
  await waitUntilSent(first, 'before during');
  expect([first.received, second.received]).toEqual(['before ', '']);
  expect(first.socket.destroyed).toBe(false);
  link.restore();
  await until(() => first.received === 'before during' && second.received === 'second');
});

it('a delayed link delivers bytes late and in order', async () => {
  const nearEnd = await openNearEnd();
  link.fail('delay');
  const sentAt = Date.now();
  // The delay applies in each direction; timers may be 10 ms inaccurate.
  const minDelayMs = 2 * DELAY_MS - 10;
  nearEnd.socket.write('one ');
  nearEnd.socket.write('two');
  await until(() => nearEnd.received === 'one two');
  expect(Date.now() - sentAt).toBeGreaterThanOrEqual(minDelayMs);
});

it('a throttled link limits the bytes per second', async () => {
  const nearEnd = await openNearEnd();
  link.fail('throttle');
  const sentAt = Date.now();
  nearEnd.socket.write('x'.repeat(6_000));
  await until(() => nearEnd.received.length === 6_000);
  // At 8 KiB a second, 6,000 bytes take at least 630 ms, even if the token bucket is full at the start. 500 ms leaves a
  // margin for timers.
  expect(Date.now() - sentAt).toBeGreaterThan(500);
});

it('a half-open link closes far ends and keeps near ends open, and resets the near ends when restored', async () => {
  const nearEnd = await openNearEnd();
  nearEnd.socket.write('x');
  await until(() => nearEnd.received === 'x');
  link.fail('half-open');
  await until(() => farEnds.every(({ destroyed }) => destroyed));
  nearEnd.socket.write('hello?');
  await waitUntilSent(nearEnd, 'xhello?');
  expect(nearEnd.socket.destroyed).toBe(false);
  link.restore();
  await waitForClose(nearEnd.socket);
});

it('an abandoned link closes near ends, forwards new connections, and closes old far ends once restored', async () => {
  const old = await openNearEnd();
  old.socket.write('x');
  await until(() => old.received === 'x');
  link.fail('abandoned');
  await waitForClose(old.socket);
  const newer = await openNearEnd();
  newer.socket.write('back');
  await until(() => newer.received === 'back');
  const [oldFarEnd, newerFarEnd] = farEnds;
  expect(oldFarEnd!.destroyed).toBe(false);
  expect(newerFarEnd!.destroyed).toBe(false);
  link.restore();
  await until(() => oldFarEnd!.destroyed);
  newer.socket.write(' still');
  await until(() => newer.received === 'back still');
});

it('a link closes a connection to a target that is down', async () => {
  server.close();
  await waitForClose(startConnecting());
});
