import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import { Server } from 'socket.io';

// Socket.IO with its Redis adapter in its leanest configuration: WebSocket only, no compression, no HTTP extras.

const redisUrl = process.env.REDIS_URL ?? '';
const server = createServer();
const io = new Server(server, {
  // The path that nginx proxies to our sockets.
  path: '/ws',
  addTrailingSlash: false,
  transports: ['websocket'],
  allowUpgrades: false,
  perMessageDeflate: false,
  httpCompression: false,
  serveClient: false,
  adapter: createAdapter(new Redis(redisUrl), new Redis(redisUrl)),
});
let entries = 0;

interface Message {
  sessionId: string;
  content: string;
  messageType: string;
  clientId: string;
}

io.on('connection', (socket) => {
  let senderId = 0;
  let seq = 0;
  socket.on(
    'join',
    ({ sessionId, userId }: { sessionId: string; userId: number }, ack: (answer: object) => void) => {
      senderId = userId;
      void socket.join(sessionId);
      ack({});
    },
  );
  socket.on(
    'random_message',
    ({ sessionId, content, messageType, clientId }: Message, ack: (answer: object) => void) => {
      entries += 1;
      seq += 1;
      const now = Date.now();
      const id = `${now}-${entries}`;
      const timestamp = new Date(now).toISOString();
      socket.to(sessionId).emit('random_message', {
        sessionId,
        seq,
        id,
        senderId,
        content,
        type: messageType,
        timestamp,
        replyTo: null,
        clientId,
      });
      ack({ id, seq, timestamp, clientId });
    },
  );
});

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
