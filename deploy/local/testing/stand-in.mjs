import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import process from 'node:process';

// Stands in for the processes of the product in the launcher's tests. Serves the same endpoints, and returns its
// environment and the request that it received.

const SLOW_RESPONSE_MS = 2_000;
const MB = 1_000_000;
/** More than nginx and the sockets can buffer. */
const STREAM_MB = 64;

const listen = (port, host, onRequest) =>
  http
    .createServer(onRequest)
    .on('upgrade', (request, socket) => {
      // nginx must pass only WebSocket upgrades of /ws. If it passes another one, the request and the test fail.
      if (!/^\/ws(\?|$)/.test(request.url) || request.headers.upgrade !== 'websocket')
        return socket.destroy();
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    })
    .listen(Number(port), host);

// The roles are those of `standIns` in stand-ins.mjs.
const role = process.argv[2];
if (role === 'migrate') process.exit(0);
if (role === 'broken') {
  console.error('the stand-in is broken on purpose');
  process.exit(7);
}

console.log(`${process.env.REPLICA_ID} is ${process.pid}`);
listen(process.env.INTERNAL_PORT, '127.0.0.1', (request, response) => {
  response.statusCode = request.url === '/health/ready' ? 200 : 404;
  response.end();
});
/** How much of /api/stream has been written. Other responses report this number. */
let streamedMb = 0;
if (role === 'api') {
  listen(process.env.PORT, process.env.HOST, async (request, response) => {
    if (request.url === '/api/slow') await new Promise((resolve) => setTimeout(resolve, SLOW_RESPONSE_MS));
    if (request.url === '/api/stream') {
      // This header switches off the buffering of nginx. Replicas also send it with the exports of users' data.
      response.setHeader('X-Accel-Buffering', 'no');
      for (streamedMb = 0; streamedMb < STREAM_MB; streamedMb += 1)
        if (!response.write(Buffer.alloc(MB))) await once(response, 'drain');
      return response.end();
    }
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        url: request.url,
        headers: request.headers,
        env: process.env,
        pid: process.pid,
        streamedMb,
      }),
    );
  });
}
process.on('SIGTERM', () => {
  if (role === 'stubborn') return;
  // A synchronous write to standard output, which is complete before the exit.
  fs.appendFileSync(1, 'goodbye\n');
  process.exit(0);
});
