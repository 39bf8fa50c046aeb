import net from 'node:net';

/** Upgrade requests that are none of ours, as a hostile visitor or a client with unusual defaults sends them. */
const requests = [
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
 * Sends them in turn, each on a connection of its own.
 * @param {string} origin
 * @param {{perSecond: number}} options
 * @returns {() => Promise<number[]>} ends it, resolves with the status of each answer, NaN for none
 */
export function badUpgrades(origin, { perSecond }) {
  const { hostname, port } = new URL(origin);
  const answers = [];
  const timer = setInterval(() => {
    const [path, protocol, host = hostname] = requests[answers.length % requests.length];
    const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', `Upgrade: ${protocol}`];
    answers.push(statusOf(hostname, port, [...lines, '', ''].join('\r\n')));
  }, 1_000 / perSecond);
  return () => {
    clearInterval(timer);
    return Promise.all(answers);
  };
}

function statusOf(hostname, port, request) {
  return new Promise((resolve) => {
    let answer = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(request));
    socket.on('data', (piece) => {
      answer += piece;
      if (answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.setTimeout(10_000, () => socket.destroy());
    socket.once('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])));
  });
}
