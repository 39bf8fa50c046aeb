import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

// Baseline of the figures P3 (CPU of a command) and P4 (memory of a socket): the least work with which a server can
// acknowledge a JSON command. It parses the command, finds the handler and sends the ack. Runs as a child process of
// the bench, to which it sends its port.

interface InboundFrame {
  event: string;
  data: { messageId: string };
  ref: string;
}

/** Has the shape of the ack that Thaw sends. */
const FIXED_ACK = { seq: 2, reactions: {} };

const handlers = new Map<string, (socket: WebSocket, frame: InboundFrame) => void>([
  [
    'message_reaction',
    (socket, { ref }) => socket.send(JSON.stringify({ event: 'ack', data: FIXED_ACK, ref })),
  ],
]);

const server = createServer();
new WebSocketServer({ server, perMessageDeflate: false, clientTracking: false }).on(
  'connection',
  (socket) => {
    socket.on('message', (raw) => {
      const frame = JSON.parse((raw as Buffer).toString()) as InboundFrame;
      handlers.get(frame.event)?.(socket, frame);
    });
  },
);

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
