// Uses real PostgreSQL, Redis and connections; one api replica runs in this process.
import { once } from 'node:events';
import { Server } from 'node:http';
import { connect } from 'node:net';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';

jest.setTimeout(30_000);

/** From Node 24.9 on, the server can decline an upgrade and handle the request as an ordinary one. */
const canDeclineUpgrades = 'shouldUpgradeCallback' in new Server();

interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The lines of a request up to its body, which begins after an empty line. */
const formatHead = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

/** Sends a request on a new connection and reads until the server closes it without an error. */
const sendRequest = async (origin: string, lines: readonly string[], body = ''): Promise<RawResponse> => {
  const { hostname, port } = new URL(origin);
  const connection = connect(Number(port), hostname);
  let received = '';
  connection.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
  connection.write(formatHead(lines) + body);
  const [hadError] = (await once(connection, 'close')) as [boolean];
  expect(hadError).toBe(false);
  const [head = '', ...bodyParts] = received.split('\r\n\r\n');
  const [statusLine = '', ...headerLines] = head.split('\r\n');
  const headers = headerLines.map((line) => {
    const [name = '', ...value] = line.split(': ');
    return [name.toLowerCase(), value.join(': ')];
  });
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) \S/.exec(statusLine)?.[1]),
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: bodyParts.join('\r\n\r\n'),
  };
};

interface UpgradeOptions {
  protocol?: string;
  host?: string;
  method?: string;
  hasKey?: boolean;
}

/** Builds the lines of an upgrade request, up to the empty line. */
const buildUpgradeLines = (
  path: string,
  { protocol = 'websocket', host = '127.0.0.1', method = 'GET', hasKey = true }: UpgradeOptions = {},
): string[] => [
  `${method} ${path} HTTP/1.1`,
  `Host: ${host}`,
  // `close`, because `sendRequest` reads until the server closes the connection.
  'Connection: Upgrade, close',
  `Upgrade: ${protocol}`,
  'Sec-WebSocket-Version: 13',
  ...(hasKey ? ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='] : []),
];

/** Expects a response that states its length and announces that the server closes the connection. */
const expectCompleteResponse = (response: RawResponse, status: number): void => {
  expect(response.status).toBe(status);
  expect(Number(response.headers['content-length'])).toBe(Buffer.byteLength(response.body));
  expect(response.headers.connection).toBe('close');
};

describe('an upgrade request', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(1);
  });
  afterAll(() => stack.close());

  it.each<[request: string, status: number, lines: string[]]>([
    ['for a path below /ws', 404, buildUpgradeLines('/ws/x')],
    ['for /ws with a trailing slash', 404, buildUpgradeLines('/ws/')],
    ['for /ws in percent-encoding', 404, buildUpgradeLines('/%77s')],
    ['for the landing page', 404, buildUpgradeLines('/')],
    ['with an invalid host name', 400, buildUpgradeLines('/ws', { host: 'a%b' })],
    ['with an incomplete IPv6 host', 400, buildUpgradeLines('/ws', { host: '[' })],
    ['with an invalid port', 400, buildUpgradeLines('/ws', { host: '127.0.0.1:99999' })],
    ['by POST for /ws', 405, buildUpgradeLines('/ws', { method: 'POST' })],
    ['without a Sec-WebSocket-Key', 400, buildUpgradeLines('/ws', { hasKey: false })],
  ])('%s is answered with a complete response of status %i', async (_, status, lines) => {
    expectCompleteResponse(await sendRequest(stack.origins[0]!, lines), status);
  });

  // Here the status depends on the version of Node. A declined upgrade is handled as an ordinary request: a route of
  // the API answers 401, because the request has no session cookie, and every other path 404. A server that cannot
  // decline upgrades answers 426 if the protocol is not WebSocket, and 404 if the path is not /ws.
  it.each<[request: string, status: number, lines: string[]]>([
    ['for a route of the API', canDeclineUpgrades ? 401 : 404, buildUpgradeLines('/api/user/1')],
    [
      'to HTTP/2 (h2c) for a route of the API',
      canDeclineUpgrades ? 401 : 426,
      buildUpgradeLines('/api/user/1', { protocol: 'h2c' }),
    ],
    [
      'to HTTP/2 (h2c) for /ws',
      canDeclineUpgrades ? 404 : 426,
      buildUpgradeLines('/ws', { protocol: 'h2c' }),
    ],
  ])('%s is answered with a complete response of status %i', async (_, status, lines) => {
    expectCompleteResponse(await sendRequest(stack.origins[0]!, lines), status);
  });

  it('is answered even if it has a body that the server does not read', async () => {
    const body = 'x'.repeat(1024 * 1024);
    const lines = [...buildUpgradeLines('/ws/x', { method: 'POST' }), `Content-Length: ${body.length}`];
    const response = await sendRequest(stack.origins[0]!, lines, body);
    expect(response.status).toBe(404);
    expect(response.body).not.toBe('');
  });

  it('does not affect later sockets if its client has already disconnected', async () => {
    const { hostname, port } = new URL(stack.origins[0]!);
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const connection = connect(Number(port), hostname);
        await once(connection, 'connect');
        connection.write(formatHead(buildUpgradeLines('/ws/x')), () => connection.resetAndDestroy());
        await once(connection, 'close');
      }),
    );
    const visitor = await stack.createVisitor(0);
    expect(await (await visitor.openSocket()).ask('ping', {})).toMatchObject({ event: 'pong' });
  });
});
