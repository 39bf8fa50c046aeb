// Uses real PostgreSQL and Redis, with an api replica over HTTP without a buffering proxy, and TCP connections that
// send slowly.
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { limits } from '@thaw/contract/limits';
import { AppLoggerService } from '../../../platform/observability/app-logger.service';
import { createPlainJpeg } from '../../../testing/image-corpus.fixture';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { ThawVisitor } from '../../../testing/thaw.client';
import { until } from '../../../testing/until.functions';
import { bodyRateLimit } from './multipart-form.parser';

jest.setTimeout(60_000);

/** After the grace time of slow bodies: time to refuse them and to handle the next upload, on a busy machine. */
const MARGIN_MS = 3_000;

const BOUNDARY = 'edge';
/** The beginning of a form, up to the content of the file. */
const OPENING = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n`;

/** A TCP connection that sends one upload, which may be slow, endless or incomplete. */
class UploadConnection {
  readonly closed: Promise<void>;
  /** The text of the HTTP response as received so far. */
  response = '';
  /** Bytes of the body. */
  sentBytes = 0;
  private readonly socket: net.Socket;
  private timer: NodeJS.Timeout | undefined;

  constructor(visitor: ThawVisitor, headers: string) {
    const { port, hostname } = new URL(visitor.origins[0]!);
    this.socket = net.connect(Number(port), hostname);
    this.socket.on('error', () => undefined); // the server may reset the connection
    this.socket.on('data', (data) => (this.response += String(data)));
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
    this.socket.write(
      `POST /api/upload HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${visitor.cookie}\r\n` +
        `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n${headers}\r\n\r\n`,
    );
  }

  /** Announces a body of one megabyte, and sends one byte per second. */
  static startSlowUpload(visitor: ThawVisitor): UploadConnection {
    const connection = new UploadConnection(visitor, 'Content-Length: 1000000');
    connection.socket.write(OPENING);
    connection.timer = setInterval(() => connection.socket.write('x'), 1_000);
    return connection;
  }

  /** Sends chunks as fast as the connection accepts them, until the server closes the connection. */
  static async flood(visitor: ThawVisitor, chunk: string): Promise<UploadConnection> {
    const connection = new UploadConnection(visitor, 'Transfer-Encoding: chunked');
    const encodedChunk = `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
    while (!connection.socket.destroyed) {
      connection.sentBytes += chunk.length;
      if (connection.socket.write(encodedChunk)) continue;
      await Promise.race([
        new Promise((resolve) => connection.socket.once('drain', resolve)),
        connection.closed,
      ]);
    }
    return connection;
  }

  async disconnect(): Promise<void> {
    clearInterval(this.timer);
    this.socket.destroy();
    await this.closed;
  }

  write(text: string): void {
    this.socket.write(text);
  }

  /** The status of the response; 0 while there is none. */
  get status(): number {
    return Number(this.response.split(' ')[1] ?? 0);
  }

  get body(): unknown {
    return JSON.parse(this.response.slice(this.response.indexOf('\r\n\r\n'))) as unknown;
  }
}

// Two uploads of a user run at the same time and four are queued; a replica runs 16 (upload.interceptor.ts).
describe('uploads', () => {
  let stack: TestStack;
  let folder: string;
  let jpeg: Buffer;
  const connections: UploadConnection[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'thaw-upload-limits-'));
    stack = await startTestStack(1, { STORAGE_DIR: folder });
    jpeg = await createPlainJpeg();
  });
  afterEach(async () => {
    await Promise.all(connections.splice(0).map((connection) => connection.disconnect()));
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  });

  const startSlowUploads = (visitor: ThawVisitor, count: number) => {
    const started = Array.from({ length: count }, () => UploadConnection.startSlowUpload(visitor));
    connections.push(...started);
    return started;
  };
  /**
   * Uploads a small image.
   * @returns the status and the elapsed time
   */
  const uploadImage = async (visitor: ThawVisitor) => {
    const form = new FormData();
    form.append('bucket', 'chat-images');
    form.append('fileName', 'a.jpg');
    form.append('file', new Blob([new Uint8Array(jpeg)]), 'a.jpg');
    const startedAt = performance.now();
    const { status } = await fetch(`${visitor.origins[0]}/api/upload`, {
      method: 'POST',
      headers: { cookie: visitor.cookie },
      body: form,
    });
    return { status, tookMs: performance.now() - startedAt };
  };
  /** Waits until the server has refused one of the uploads, so that all allowed ones are running or queued. */
  const waitUntilOneIsRefused = (slow: readonly UploadConnection[]) =>
    until(() => slow.some(({ response }) => response !== ''));

  it('do not delay other users while one user sends slowly over 14 connections', async () => {
    const [attacker, other] = await Promise.all([stack.createVisitor(0), stack.createVisitor(0)]);
    const slow = startSlowUploads(attacker, 14);
    // Of the 14, two run, four are queued and 8 are refused. The refusals show that all slots of the user are in use.
    await until(() => slow.filter(({ status }) => status === 429).length === 8);
    for (let round = 0; round < 3; round += 1) {
      const { status, tookMs } = await uploadImage(other);
      expect(status).toBe(201);
      // The slow bodies are refused only after the grace time, so this upload did not wait for one of them.
      expect(tookMs).toBeLessThan(bodyRateLimit.graceMs);
    }
    expect(slow.filter(({ status }) => status === 429)).toHaveLength(8);
  });

  it('succeed again once slow bodies have been refused, even if they occupied all slots', async () => {
    // 8 users with two running uploads each occupy the 16 slots of the replica.
    const attackers = await Promise.all(Array.from({ length: 8 }, () => stack.createVisitor(0)));
    const other = await stack.createVisitor(0);
    const slow = attackers.flatMap((attacker) => startSlowUploads(attacker, 2));
    const { status, tookMs } = await uploadImage(other);
    expect(status).toBe(201);
    expect(tookMs).toBeLessThan(bodyRateLimit.graceMs + MARGIN_MS);
    await until(() => slow.every(({ response }) => response !== ''));
    for (const refused of slow)
      expect([refused.status, refused.body]).toMatchObject([400, { code: 'validation_failed' }]);
    await Promise.all(slow.map(({ closed }) => closed));
  });

  it('get a complete response with status 413 when their chunked body is endless', async () => {
    const visitor = await stack.createVisitor(0);
    // A body without the boundary of a form, and a form with an endless file.
    for (const chunk of ['no boundary '.repeat(4_000), `${OPENING}${'x'.repeat(60_000)}`]) {
      const flood = await UploadConnection.flood(visitor, chunk);
      connections.push(flood);
      expect(flood.status).toBe(413);
      expect(flood.body).toMatchObject({ statusCode: 413, code: 'too_large' });
      expect(flood.sentBytes).toBeGreaterThan(limits.imageMaxBytes);
    }
    expect((await uploadImage(visitor)).status).toBe(201);
  });

  it('of one user all succeed when six are sent at the same time', async () => {
    // Two run and four are queued.
    const visitor = await stack.createVisitor(0);
    const responses = await Promise.all(Array.from({ length: 6 }, () => uploadImage(visitor)));
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(201));
  });

  it('log no failure when aborted', async () => {
    const logFailure = jest.spyOn(AppLoggerService.prototype, 'logFailure');
    const visitor = await stack.createVisitor(0);
    const requests: IncomingMessage[] = [];
    const server = stack.replicas[0]!.app.getHttpServer();
    server.on('request', (request: IncomingMessage) => requests.push(request));
    // Aborted before the body, before the content of the file, and within it.
    for (const [index, text] of ['', OPENING, `${OPENING}${'x'.repeat(200_000)}`].entries()) {
      const connection = new UploadConnection(visitor, 'Content-Length: 1000000');
      connection.write(text);
      await until(() => requests.length > index);
      await connection.disconnect();
    }
    await until(() => requests.every(({ destroyed }) => destroyed));
    // Both slots of the user are free again, so the aborted uploads have been handled.
    const responses = await Promise.all([uploadImage(visitor), uploadImage(visitor)]);
    expect(responses.map(({ status }) => status)).toEqual([201, 201]);
    expect(logFailure).not.toHaveBeenCalled();
  });

  it('release their slots when aborted in the queue', async () => {
    const visitor = await stack.createVisitor(0);
    // Two run, four are queued and one is refused.
    const slow = startSlowUploads(visitor, 7);
    await waitUntilOneIsRefused(slow);
    await Promise.all(slow.map((connection) => connection.disconnect()));
    const { status, tookMs } = await uploadImage(visitor);
    expect(status).toBe(201);
    expect(tookMs).toBeLessThan(bodyRateLimit.graceMs);
  });
});
