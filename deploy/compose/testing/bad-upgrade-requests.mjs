import net from 'node:net';

const IDLE_TIMEOUT_MS = 10_000;
/** Invalid upgrade requests: path, protocol and optionally Host, as sent by an attacker or an unusual client. */
const badRequests = [
  ['/ws/x', 'websocket'],
  ['/ws/', 'websocket'],
  ['/api/user/1', 'websocket'],
  ['/api/user/1', 'h2c'],
  ['/ws', 'h2c'],
  ['/ws', 'websocket', 'a%b'],
  ['/ws', 'websocket', '['],
  ['/ws', 'websocket', '127.0.0.1:99999'],
];

/**
 * Sends invalid upgrade requests in turn, each on a new connection.
 * @param {string} origin
 * @param {{perSecond: number}} options
 * @returns {() => Promise<number[]>} a function that stops the requests and resolves with the status of each response,
 *   NaN for a request without a response
 */
export function startBadUpgradeRequests(origin, { perSecond }) {
  const { hostname, port } = new URL(origin);
  const pendingStatuses = [];
  const timer = setInterval(() => {
    const [path, protocol, host = hostname] = badRequests[pendingStatuses.length % badRequests.length];
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', `Upgrade: ${protocol}`];
    pendingStatuses.push(sendForStatus(hostname, port, [...lines, '', ''].join('\r\n')));
  }, 1_000 / perSecond);
  return () => {
    clearInterval(timer);
    return Promise.all(pendingStatuses);
  };
}

/** Sends a raw HTTP request on a new connection. @returns {Promise<number>} the status, NaN without a response */
function sendForStatus(hostname, port, request) {
  return new Promise((resolve) => {
    let response = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(request));
    socket.on('data', (chunk) => {
      response += chunk;
      if (response.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
    socket.once('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1])));
  });
}
