import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

/** A request with its body. */
export interface ReceivedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  /** The body. */
  bytes: Buffer;
  /** The body as text. */
  body: string;
}

export type ServerBehaviour = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Stands in for a server without which the product works, too, such as an image classifier. Tests choose how it
 * behaves.
 */
export interface TestOptionalServer {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** `127.0.0.1:<port>` */
  host: string;
  /** The requests that were received so far. */
  receivedRequests: ReceivedRequest[];
  /** Sets the behaviour for the requests from now on. */
  setBehaviour(behaviour: ServerBehaviour): void;
  /** Number of answers that are neither complete nor aborted by the client. */
  readonly pendingAnswerCount: number;
  close(): Promise<void>;
}

export const answerWithJson =
  (body: unknown, status = 200): ServerBehaviour =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export const redirectTo =
  (location: string, status = 307): ServerBehaviour =>
  (_request, response) =>
    void response.writeHead(status, { location }).end();

const TEN_MEGABYTES = 10 * 1024 * 1024;
// Built in advance, because the clients under test wait only a few hundred milliseconds. `choices` is the field that
// the client of a language model, one of the optional servers, reads.
const longAnswer = Buffer.from(JSON.stringify({ choices: 'x'.repeat(TEN_MEGABYTES) }));
const compressedAnswer = gzipSync(' '.repeat(TEN_MEGABYTES));

/** Sends one byte every 20 ms, until the client closes the connection. */
const drip: ServerBehaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
};

interface FailingBehaviour {
  behaviour: ServerBehaviour;
  /** The reason that the client reports for the failure. */
  reason: string;
  /** Whether only the client's time limit ends the request. */
  isSlow?: boolean;
}

/** Every way in which any optional server can fail, with the reason that clients report. */
export const failingBehaviours: Record<string, FailingBehaviour> = {
  'never answers': { behaviour: () => undefined, reason: 'no answer in time', isSlow: true },
  'drips bytes': { behaviour: drip, reason: 'no answer in time', isSlow: true },
  'closes the connection': { behaviour: ({ socket }) => socket.destroy(), reason: 'the connection failed' },
  'stops in the middle of the answer': {
    behaviour: (_request, response) => {
      response.writeHead(200, { 'content-length': '500' }).write('{"choices":');
      setImmediate(() => response.destroy()); // after the first bytes are sent
    },
    reason: 'the connection failed',
  },
  'answers 10 MB': {
    behaviour: (_request, response) => void response.writeHead(200).end(longAnswer),
    reason: 'the answer is too long',
  },
  'answers 10 MB, compressed to a few KB': {
    behaviour: (_request, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressedAnswer),
    reason: 'the answer is too long',
  },
  'answers HTML': {
    behaviour: (_request, response) => void response.writeHead(200).end('<h1>secret page</h1>'),
    reason: 'the answer is not JSON',
  },
  'answers nothing': {
    behaviour: (_request, response) => void response.writeHead(200).end(),
    reason: 'the answer is not JSON',
  },
  'answers 429': { behaviour: answerWithJson({}, 429), reason: 'status 429' },
  'answers 500': { behaviour: answerWithJson({}, 500), reason: 'status 500' },
  'answers 204': {
    behaviour: (_request, response) => void response.writeHead(204).end(),
    reason: 'status 204',
  },
};

export const startTestOptionalServer = async (): Promise<TestOptionalServer> => {
  let behaviour: ServerBehaviour = answerWithJson({});
  const receivedRequests: ReceivedRequest[] = [];
  let pendingAnswerCount = 0;
  const server = createServer((request, response) => {
    pendingAnswerCount += 1;
    response.once('close', () => (pendingAnswerCount -= 1));
    void buffer(request).then((bytes) => {
      receivedRequests.push({
        path: request.url ?? '',
        headers: request.headers,
        bytes,
        body: bytes.toString('utf8'),
      });
      behaviour(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    receivedRequests,
    setBehaviour: (next) => {
      behaviour = next;
    },
    get pendingAnswerCount() {
      return pendingAnswerCount;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
