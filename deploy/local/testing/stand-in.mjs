import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import process from 'node:process';

// Stands in for the processes of the product in the launcher's tests: it serves the same endpoints and returns the
// environment and headers it received.

const listen = (port, host, onRequest) =>
  http
    .createServer(onRequest)
    .on('upgrade', (request, socket) => {
      // nginx must not pass any other upgrade to a replica. The request fails here, and so does the test.
      if (!/^\/ws(\?|$)/.test(request.url) || request.headers.upgrade !== 'websocket')
        return socket.destroy();
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    })
    .listen(Number(port), host);

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
let streamedMb = 0;
if (role === 'api') {
  listen(process.env.PORT, process.env.HOST, async (request, response) => {
    if (request.url === '/api/slow') await new Promise((resolve) => setTimeout(resolve, 2_000));
    if (request.url === '/api/stream') {
      // Replicas send exports with this header too.
      response.setHeader('X-Accel-Buffering', 'no');
      for (streamedMb = 0; streamedMb < 64; streamedMb += 1)
        if (!response.write(Buffer.alloc(1_000_000))) await once(response, 'drain');
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
  fs.appendFileSync(1, 'goodbye\n');
  process.exit(0);
});
