import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { WebSocket, WebSocketServer } from 'ws';

// Baseline of the figures P1 and P5 (relay.figure.ts) and P8 (delivery.figure.ts). It does only what a relay between
// two processes needs: it receives a message, publishes it, and sends it to the subscribed socket. It has no rules.

const redisUrl = process.env.REDIS_URL ?? '';
// With CHANNELS=chat, a message is published to all sockets of its chat, as users with several tabs need; otherwise to
// the receiver only.
const publishesByChat = process.env.CHANNELS === 'chat';
// With HISTORY=on, every message is also added to a stream, which minimal-relay-writer.ts writes to PostgreSQL.
const hasHistory = process.env.HISTORY === 'on';
// P8 runs relays with and without history on the same Redis, so the channels of their users need different prefixes.
const userChannelPrefix = hasHistory ? 'writer:' : 'user:';
const publisher = new Redis(redisUrl);
const subscriber = new Redis(redisUrl);
const socketsByChannel = new Map<string, WebSocket[]>();
const userBySocket = new WeakMap<WebSocket, string>();
let messageCount = 0;

const findSockets = (channel: string): readonly WebSocket[] => socketsByChannel.get(channel) ?? [];

const sendToReceiver = (channel: string, frame: string): void => {
  for (const socket of findSockets(channel)) socket.send(frame);
};

/** @param publication `<sender> <frame>`. The sender receives no frame, only an ack. */
const sendToPartnerInChat = (channel: string, publication: string): void => {
  const senderEnd = publication.indexOf(' ');
  const sender = publication.slice(0, senderEnd);
  const frame = publication.slice(senderEnd + 1);
  for (const socket of findSockets(channel)) if (userBySocket.get(socket) !== sender) socket.send(frame);
};

subscriber.on('message', publishesByChat ? sendToPartnerInChat : sendToReceiver);

interface InboundFrame {
  ref: string;
  data: { content: string; messageType: string; clientId: string };
}

const handleConnection = (socket: WebSocket, request: IncomingMessage): void => {
  const query = new URL(request.url ?? '', 'http://localhost').searchParams;
  const user = query.get('user') ?? '';
  const partner = query.get('partner') ?? '';
  const session = query.get('session') ?? '';
  const ownChannel = publishesByChat ? `live:${session}` : `${userChannelPrefix}${user}`;
  const partnerChannel = publishesByChat ? ownChannel : `${userChannelPrefix}${partner}`;
  socketsByChannel.set(ownChannel, [...findSockets(ownChannel), socket]);
  userBySocket.set(socket, user);
  void subscriber.subscribe(ownChannel).then(() => socket.send('{"event":"ready","data":{}}'));
  let seq = 0;

  socket.on('message', (raw) => {
    const { ref, data } = JSON.parse((raw as Buffer).toString()) as InboundFrame;
    const { content, messageType, clientId } = data;
    messageCount += 1;
    seq += 1;
    const now = Date.now();
    // `id`, `seq` and `timestamp` only give the frames the same size as those of Thaw.
    const id = `${now}-${messageCount}`;
    const timestamp = new Date(now).toISOString();
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
    const publication = publishesByChat ? `${user} ${frame}` : frame;
    void publisher.publish(partnerChannel, publication).then(() => socket.send(ack));
  });
};

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false });
sockets.on('connection', handleConnection);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
