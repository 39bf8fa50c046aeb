import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

/** A request as the server received it. */
export interface ReceivedQuestion {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type ModelBehaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** An OpenAI-compatible API over HTTP, with a behaviour that tests exchange. */
export interface TestLanguageModel {
  /** The base address, `http://127.0.0.1:<port>/v1`. */
  url: string;
  host: string;
  questions: ReceivedQuestion[];
  behave(behaviour: ModelBehaviour): void;
  /** Number of answers that are neither complete nor cut off by the client. */
  readonly openAnswers: number;
  close(): Promise<void>;
}

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Answers with a completion. */
export const sayLines =
  (...lines: string[]): ModelBehaviour =>
  (_request, response) =>
    sendJson(response, 200, {
      id: 'chatcmpl-1',
      choices: [{ index: 0, message: { role: 'assistant', content: lines.join('\n') } }],
    });

const refuse =
  (status: number): ModelBehaviour =>
  (_request, response) =>
    sendJson(response, status, { error: { message: 'no' } });

const TEN_MEGABYTES = 10 * 1024 * 1024;

/** Sends one byte every few milliseconds, until the other side closes the connection. */
const drip: ModelBehaviour = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
};

/** Every way of failing, with the reason that the client gives. */
export const failingBehaviours: Record<string, { behaviour: ModelBehaviour; reason: string }> = {
  'never answers': { behaviour: () => undefined, reason: 'no answer in time' },
  'drips bytes': { behaviour: drip, reason: 'no answer in time' },
  'closes the connection': { behaviour: ({ socket }) => socket.destroy(), reason: 'the connection failed' },
  'stops in the middle of the answer': {
    behaviour: (_request, response) => {
      response.writeHead(200, { 'content-length': '500' }).write('{"choices":');
      setImmediate(() => response.destroy());
    },
    reason: 'the connection failed',
  },
  'answers 10 MB': {
    behaviour: (_request, response) =>
      void response.writeHead(200).end(JSON.stringify({ choices: 'x'.repeat(TEN_MEGABYTES) })),
    reason: 'the answer is too long',
  },
  'answers 10 MB, compressed to a few KB': {
    behaviour: (_request, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(' '.repeat(TEN_MEGABYTES))),
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
  'answers JSON of another shape': {
    behaviour: (_request, response) => sendJson(response, 200, { choices: [{ message: { content: 7 } }] }),
    reason: 'the answer is not a completion',
  },
  'answers without a choice': {
    behaviour: (_request, response) => sendJson(response, 200, { choices: [] }),
    reason: 'the answer is not a completion',
  },
  'answers 429': { behaviour: refuse(429), reason: 'status 429' },
  'answers 500': { behaviour: refuse(500), reason: 'status 500' },
  'answers 204': { behaviour: refuse(204), reason: 'status 204' },
};

export const startTestLanguageModel = async (): Promise<TestLanguageModel> => {
  let behaviour: ModelBehaviour = sayLines();
  const questions: ReceivedQuestion[] = [];
  let openAnswers = 0;
  const server = createServer((request, response) => {
    openAnswers += 1;
    response.once('close', () => (openAnswers -= 1));
    void text(request).then((body) => {
      questions.push({ path: request.url ?? '', headers: request.headers, body });
      behaviour(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1`,
    host,
    questions,
    behave: (next) => {
      behaviour = next;
    },
    get openAnswers() {
      return openAnswers;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
