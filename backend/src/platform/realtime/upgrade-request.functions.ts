import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type HttpErrorBody, type HttpErrorCode } from '@thaw/contract/error-codes';
import { errorMessages } from '../errors/error-message.registry';

const SOCKET_PATH = '/ws';
/** A client that does not close a refused connection within this time is disconnected. */
const LINGER_TIMEOUT_MS = 2_000;

type UpgradeListener = (request: IncomingMessage, stream: Duplex, head: Buffer) => void;

const getPath = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket';

const isSocketRequest = (request: IncomingMessage): boolean =>
  getPath(request) === SOCKET_PATH && isWebSocketUpgrade(request);

const hasValidHost = ({ headers: { host } }: IncomingMessage): boolean =>
  host !== undefined && URL.canParse(`ws://${host}/`);

/** Returns the error body of an HTTP response as JSON text. */
export const toErrorBody = (statusCode: number, code: HttpErrorCode): string =>
  JSON.stringify({ statusCode, code, message: errorMessages[code] } satisfies HttpErrorBody);

/**
 * Answers an upgrade request with a complete HTTP response and ends the connection. A proxy would count a connection
 * that ends without a response as a failure of this replica.
 */
const refuse = (stream: Duplex, statusCode: number, code: HttpErrorCode, headers: string[] = []): void => {
  const body = toErrorBody(statusCode, code);
  const lingerTimer = setTimeout(() => stream.destroy(), LINGER_TIMEOUT_MS);
  stream.once('close', () => clearTimeout(lingerTimer));
  stream.on('error', () => undefined); // the client may reset the connection
  // Discard what the client still sends: closing with unread bytes resets the connection, which can lose the response.
  stream.resume();
  stream.end(
    [
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      ...headers,
      '',
      body,
    ].join('\r\n'),
  );
};

/**
 * Passes requests that open a socket (`Upgrade: websocket` for exactly `/ws`) to `openSocket`, but answers 400 to those
 * without a valid `Host`.
 *
 * Every other upgrade request is answered over HTTP. From Node 24.9 on, it is handled as an ordinary request. Earlier
 * versions of Node cannot do this, so another protocol is answered with 426, and another path with 404.
 */
export const serveUpgrades = (server: Server, openSocket: UpgradeListener): void => {
  // From Node 24.9 on, this callback decides which upgrade requests emit `upgrade`. It is an option of `createServer`,
  // but Nest has already created the server, so it is assigned as a property.
  Object.assign(server, { shouldUpgradeCallback: isSocketRequest });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    if (!hasValidHost(request)) refuse(stream, 400, 'validation_failed');
    else if (!isWebSocketUpgrade(request)) refuse(stream, 426, 'validation_failed', ['Upgrade: websocket']);
    else if (getPath(request) !== SOCKET_PATH) refuse(stream, 404, 'not_found');
    else openSocket(request, stream, head);
  });
};
