import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { WebSocket, WebSocketServer } from 'ws';

// Baseline of P1 (CPU of a message), P5 (CPU of Redis) and P8 (delivery time). It does only what a relay between two
// processes needs: it receives a message, publishes it, and sends it to the subscribed socket. It has no rules.

const redisUrl = process.env.REDIS_URL ?? '';
// With CHANNELS=chat, a message is published to all sockets of its chat, as users with several tabs need; otherwise to
// the receiver only.
const publishesByChat = process.env.CHANNELS === 'chat';
// With HISTORY=on, every message is also added to a stream, which minimal-relay-writer.ts writes to PostgreSQL.
const hasHistory = process.env.HISTORY === 'on';
// P8 runs relays with and without history on the same Redis, so their channels need different prefixes. The
// channels of CHANNELS=chat (`live:<session>`) do not, because no figure combines CHANNELS=chat with HISTORY=on.
const userChannelPrefix = hasHistory ? 'writer:' : 'user:';
const publisher = new Redis(redisUrl);
const subscriber = new Redis(redisUrl);
const socketsByChannel = new Map<string, WebSocket[]>();
const userBySocket = new WeakMap<WebSocket, string>();
let messageCount = 0;

subscriber.on('message', (channel, message) => {
  if (!publishesByChat) {
    for (const socket of socketsByChannel.get(channel) ?? []) socket.send(message);
    return;
  }
  // With CHANNELS=chat, the message is `<sender> <frame>`. The sender receives no frame, only an ack.
  const senderEnd = message.indexOf(' ');
  const sender = message.slice(0, senderEnd);
  const frame = message.slice(senderEnd + 1);
  for (const socket of socketsByChannel.get(channel) ?? [])
    if (userBySocket.get(socket) !== sender) socket.send(frame);
});

interface InboundFrame {
  ref: string;
  data: { content: string; messageType: string; clientId: string };
}

const server = createServer();
new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false }).on(
  'connection',
  (socket, request) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const read = (name: string): string => query.get(name) ?? '';
    const [user, partner, session] = [read('user'), read('partner'), read('session')];
    const ownChannel = publishesByChat ? `live:${session}` : `${userChannelPrefix}${user}`;
    const partnerChannel = publishesByChat ? ownChannel : `${userChannelPrefix}${partner}`;
    socketsByChannel.set(ownChannel, [...(socketsByChannel.get(ownChannel) ?? []), socket]);
    userBySocket.set(socket, user);
    void subscriber.subscribe(ownChannel).then(() => socket.send('{"event":"ready","data":{}}'));
    let seq = 0;
    socket.on('message', (raw) => {
      const { ref, data } = JSON.parse((raw as Buffer).toString()) as InboundFrame;
      messageCount += 1;
      seq += 1;
      const now = Date.now();
      // Nothing uses `id`, `seq` and `timestamp`. They give the frames the same size as those of Thaw.
      const id = `${now}-${messageCount}`;
      const timestamp = new Date(now).toISOString();
      const { content, messageType, clientId } = data;
      const frame = JSON.stringify({
        event: 'random_message',
        data: {
          sessionId: session,
          seq,
          id,
          senderId: Number(user),
          content,
          type: messageType,
          timestamp,
          replyTo: null,
          clientId,
        },
      });
      const ack = JSON.stringify({ event: 'ack', data: { id, seq, timestamp, clientId }, ref });
      if (hasHistory) void publisher.xadd('history', '*', 'frame', frame);
      void publisher
        .publish(partnerChannel, publishesByChat ? `${user} ${frame}` : frame)
        .then(() => socket.send(ack));
    });
  },
);

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
