// Uses real PostgreSQL, Redis and connections; a whole api replica runs in this process.
import { once } from 'node:events';
import { Server } from 'node:http';
import { connect } from 'node:net';
import { startTestReplicas, type TestReplicas } from '../../testing/test-replicas.harness';

jest.setTimeout(30_000);

/** Node 24.9 passes a declined upgrade to the ordinary request handler. */
const canDeclineUpgrades = 'shouldUpgradeCallback' in new Server();

interface Response {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends bytes on a new connection and reads until the server ends it. */
const exchange = async (origin: string, lines: readonly string[], body = ''): Promise<Response> => {
  const { hostname, port } = new URL(origin);
  const stream = connect(Number(port), hostname);
  let received = '';
  stream.setEncoding('utf8').on('data', (piece: string) => (received += piece));
  stream.write([...lines, '', body].join('\r\n'));
  const [hadError] = (await once(stream, 'close')) as [boolean];
  expect(hadError).toBe(false);
  const [head = '', ...rest] = received.split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = head.split('\r\n');
  const headers = headerLines.map((line) => {
    const [name = '', ...value] = line.split(': ');
    return [name.toLowerCase(), value.join(': ')];
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) \S/.exec(statusLine)?.[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: rest.join('\r\n\r\n'),
  };
};

const upgrade = (path: string, protocol = 'websocket', host = '127.0.0.1', method = 'GET'): string[] => [
  `${method} ${path} HTTP/1.1`,
  `Host: ${host}`,
  'Connection: Upgrade, close',
  `Upgrade: ${protocol}`,
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

describe('an upgrade request', () => {
  let thaw: TestReplicas;

  beforeAll(async () => {
    thaw = await startTestReplicas(1);
  });
  afterAll(() => thaw.close());

  it.each<[request: string, lines: string[], status: number]>([
    ['for a path below the socket', upgrade('/ws/x'), 404],
    ['for the socket with a slash', upgrade('/ws/'), 404],
    ['for an encoded name of the socket', upgrade('/%77s'), 404],
    ['for a route of the API', upgrade('/api/user/1'), canDeclineUpgrades ? 401 : 404],
    ['for the page', upgrade('/'), 404],
    ['with a host that is none', upgrade('/ws', 'websocket', 'a%b'), 400],
    ['with half a host', upgrade('/ws', 'websocket', '['), 400],
    ['with a port that is none', upgrade('/ws', 'websocket', '127.0.0.1:99999'), 400],
    ['to h2c for a route of the API', upgrade('/api/user/1', 'h2c'), canDeclineUpgrades ? 401 : 426],
    ['to h2c for the socket', upgrade('/ws', 'h2c'), canDeclineUpgrades ? 404 : 426],
    ['by POST for the socket', upgrade('/ws', 'websocket', '127.0.0.1', 'POST'), 405],
    ['without a key', upgrade('/ws').slice(0, 5), 400],
  ])('gets a complete response: %s', async (_, lines, status) => {
    const response = await exchange(thaw.origins[0]!, lines);
    expect(response.status).toBe(status);
    expect(Number(response.headers['content-length'])).toBe(Buffer.byteLength(response.body));
    expect(response.headers.connection).toBe('close');
  });

  it('with an unread body still gets its response', async () => {
    const body = 'x'.repeat(1024 * 1024);
    const lines = [...upgrade('/ws/x', 'websocket', '127.0.0.1', 'POST'), `Content-Length: ${body.length}`];
    const response = await exchange(thaw.origins[0]!, lines, body);
    expect(response.status).toBe(404);
    expect(response.body).not.toBe('');
  });

  it('from a client that has disconnected does no harm', async () => {
    const { hostname, port } = new URL(thaw.origins[0]!);
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const stream = connect(Number(port), hostname);
        await once(stream, 'connect');
        stream.write([...upgrade('/ws/x'), '', ''].join('\r\n'), () => stream.resetAndDestroy());
        await once(stream, 'close');
      }),
    );
    const visitor = await thaw.createVisitor(0);
    expect(await (await visitor.openSocket()).ask('ping', {})).toMatchObject({ event: 'pong' });
  });
});
