// Uses real PostgreSQL and Redis, and an api replica without a proxy, which would buffer slow bodies.
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
import { minimumBodyRate } from './multipart-form.parser';

jest.setTimeout(60_000);

/** Time in which a busy machine refuses slow bodies after their grace period, and handles the next upload. */
const MARGIN_MS = 3_000;

// The limits of upload.interceptor.ts. More uploads of a user than these are refused.
const RUNNING_PER_USER = 2;
const RUNNING_PER_REPLICA = 16;
/** Running and queued ones. */
const ALLOWED_PER_USER = 6;

const BOUNDARY = 'edge';
/** The beginning of a form, up to the content of the file. */
const OPENING = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n`;

/** A TCP connection that sends one upload, which may be slow, endless or incomplete. */
class UploadConnection {
  readonly closed: Promise<void>;
  /** The text of the HTTP response as received so far. */
  response = '';
  /** Bytes of the body that `flood` has sent. */
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

  /** The JSON body of the complete response. */
  get body(): unknown {
    const [, json = ''] = this.response.split('\r\n\r\n');
    return JSON.parse(json) as unknown;
  }
}

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
  const countRefused = (uploads: readonly UploadConnection[]) =>
    uploads.filter(({ status }) => status === 429).length;

  it('do not delay other users while one user sends slowly over many connections', async () => {
    const [attacker, other] = await Promise.all([stack.createVisitor(0), stack.createVisitor(0)]);
    const excessCount = 8;
    const slow = startSlowUploads(attacker, ALLOWED_PER_USER + excessCount);
    // The refusals show that the allowed uploads are running or queued.
    await until(() => countRefused(slow) === excessCount);
    for (let round = 0; round < 3; round += 1) {
      const { status, tookMs } = await uploadImage(other);
      expect(status).toBe(201);
      // The slow bodies are refused only after the grace period, so this upload did not wait for one of them.
      expect(tookMs).toBeLessThan(minimumBodyRate.graceMs);
    }
    expect(countRefused(slow)).toBe(excessCount);
  });

  it('succeed again once slow bodies have been refused, even if they occupied all slots', async () => {
    const attackerCount = RUNNING_PER_REPLICA / RUNNING_PER_USER;
    const attackers = await Promise.all(Array.from({ length: attackerCount }, () => stack.createVisitor(0)));
    const other = await stack.createVisitor(0);
    const slow = attackers.flatMap((attacker) => startSlowUploads(attacker, RUNNING_PER_USER));
    const { status, tookMs } = await uploadImage(other);
    expect(status).toBe(201);
    expect(tookMs).toBeLessThan(minimumBodyRate.graceMs + MARGIN_MS);
    await until(() => slow.every(({ response }) => response !== ''));
    for (const refused of slow) {
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ code: 'validation_failed' });
    }
    await Promise.all(slow.map(({ closed }) => closed));
  });

  it.each([
    ['that is no form', 'no boundary '.repeat(4_000)],
    ['with a file', `${OPENING}${'x'.repeat(60_000)}`],
  ])('get a complete response with status 413 for an endless chunked body %s', async (_kind, chunk) => {
    const visitor = await stack.createVisitor(0);
    const flood = await UploadConnection.flood(visitor, chunk);
    connections.push(flood);
    expect(flood.status).toBe(413);
    expect(flood.body).toMatchObject({ statusCode: 413, code: 'too_large' });
    expect(flood.sentBytes).toBeGreaterThan(limits.imageMaxBytes);
    expect((await uploadImage(visitor)).status).toBe(201);
  });

  it('all succeed when one user sends as many at the same time as are allowed', async () => {
    const visitor = await stack.createVisitor(0);
    const responses = await Promise.all(Array.from({ length: ALLOWED_PER_USER }, () => uploadImage(visitor)));
    expect(responses.map(({ status }) => status)).toEqual(Array(ALLOWED_PER_USER).fill(201));
  });

  it('log no failure when aborted', async () => {
    const logFailure = jest.spyOn(AppLoggerService.prototype, 'logFailure');
    const visitor = await stack.createVisitor(0);
    const server = stack.replicas[0]!.app.getHttpServer();
    const requests: IncomingMessage[] = [];
    const textsBeforeAbort = [
      '', // nothing of the body
      OPENING, // nothing of the file
      `${OPENING}${'x'.repeat(200_000)}`, // a part of the file
    ];
    for (const text of textsBeforeAbort) {
      const arrival = new Promise<IncomingMessage>((resolve) => {
        server.once('request', (request: IncomingMessage) => resolve(request));
      });
      const connection = new UploadConnection(visitor, 'Content-Length: 1000000');
      connection.write(text);
      requests.push(await arrival);
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
    const slow = startSlowUploads(visitor, ALLOWED_PER_USER + 1);
    await until(() => countRefused(slow) === 1);
    await Promise.all(slow.map((connection) => connection.disconnect()));
    const { status, tookMs } = await uploadImage(visitor);
    expect(status).toBe(201);
    expect(tookMs).toBeLessThan(minimumBodyRate.graceMs);
  });
});
