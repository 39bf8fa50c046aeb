import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import { Server } from 'socket.io';
import { leanSocketIoOptions } from './socket-io-options';

// Baseline of many figures of the benchmark: Socket.IO with its Redis adapter. Relays messages within a room without
// checking them.

const redisUrl = process.env.REDIS_URL ?? '';
// Connection state recovery keeps sent packets in memory. The Redis adapter does not support it. So with RECOVERY=on,
// the adapter is not used, and the benchmark starts only one process.
const hasRecovery = process.env.RECOVERY === 'on';
const server = createServer();
const io = new Server(server, {
  ...leanSocketIoOptions,
  ...(hasRecovery
    ? { connectionStateRecovery: { maxDisconnectionDuration: 120_000 } } // the default of Socket.IO
    : { adapter: createAdapter(new Redis(redisUrl), new Redis(redisUrl)) }),
});
let messageCount = 0;

interface Message {
  sessionId: string;
  content: string;
  messageType: string;
  clientId: string;
}

io.on('connection', (socket) => {
  let senderId = 0;
  let sentCount = 0;
  socket.on(
    'join',
    ({ sessionId, userId }: { sessionId: string; userId: number }, ack: (data: object) => void) => {
      senderId = userId;
      void socket.join(sessionId);
      ack({});
    },
  );
  socket.on(
    'random_message',
    ({ sessionId, content, messageType, clientId }: Message, ack: (data: object) => void) => {
      messageCount += 1;
      sentCount += 1;
      const now = Date.now();
      // Nothing uses `id`, `seq` and `timestamp`. They give the frames the same size as those of Thaw.
      const id = `${now}-${messageCount}`;
      const timestamp = new Date(now).toISOString();
      socket.to(sessionId).emit('random_message', {
        sessionId,
        seq: sentCount,
        id,
        senderId,
        content,
        type: messageType,
        timestamp,
        replyTo: null,
        clientId,
      });
      ack({ id, seq: sentCount, timestamp, clientId });
    },
  );
});

server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
