import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

// The minimal server that answers JSON commands: parse, look up, answer.

interface Inbound {
  event: string;
  data: { messageId: string };
  ref: string;
}

const handlers = new Map<string, (socket: WebSocket, frame: Inbound) => void>([
  [
    'message_reaction',
    (socket, { ref }) => socket.send(JSON.stringify({ event: 'ack', data: { seq: 2, reactions: {} }, ref })),
  ],
]);

const server = createServer();
new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false }).on(
  'connection',
  (socket) => {
    socket.on('message', (raw) => {
      const frame = JSON.parse((raw as Buffer).toString()) as Inbound;
      handlers.get(frame.event)?.(socket, frame);
    });
  },
);

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
