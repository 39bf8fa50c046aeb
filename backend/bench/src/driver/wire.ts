import { WebSocket } from 'ws';

export interface WireFrame {
  event: string;
  data: Record<string, unknown>;
  ref?: string;
}

/** A call of `waitForFrame` whose frame has not arrived. */
interface FrameWaiter {
  matches: (frame: WireFrame) => boolean;
  resolve: (frame: WireFrame) => void;
  reject: (error: Error) => void;
}

/**
 * A client socket of any protocol. Subclasses convert frames `{event, data, ref}` to messages of the protocol and back.
 * A response repeats the `ref` of its request.
 */
export abstract class Wire {
  onFrame: (frame: WireFrame) => void = () => undefined;
  /** Called with the close code when the server closes the socket. */
  onClose: ((code: number) => void) | undefined;
  /** Whether this client has closed the socket. */
  private isClosing = false;
  private readonly waiters = new Set<FrameWaiter>();

  protected constructor(protected readonly socket: WebSocket) {
    socket.once('close', (code: number) => {
      if (!this.isClosing) this.handleClosedByServer(code);
    });
  }

  abstract send(event: string, data: object, ref: string): void;

  /**
   * Sends a frame and waits for the response. Only one request of an event may be open at a time, because its `ref` is
   * that of the event.
   * @param responseEvent event of a successful response
   * @returns the data of the response
   * @throws Error when the response is another event, or none arrives
   */
  async request(event: string, data: object, responseEvent = 'ack'): Promise<Record<string, unknown>> {
    const ref = `request-${event}`;
    const response = this.waitForFrame((frame) => frame.ref === ref);
    this.send(event, data, ref);
    const frame = await response;
    if (frame.event !== responseEvent) throw new Error(`${event} was answered ${JSON.stringify(frame)}`);
    return frame.data;
  }

  /**
   * Resolves with the next frame that matches.
   * @throws Error when none arrives within `withinMs`, or the socket closes
   */
  waitForFrame(matches: (frame: WireFrame) => boolean, withinMs = 20_000): Promise<WireFrame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('No matching frame arrived in time')), withinMs);
      this.waiters.add({
        matches,
        resolve: (frame) => {
          clearTimeout(timer);
          resolve(frame);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }

  close(): void {
    this.isClosing = true;
    this.socket.close(1000);
  }

  /** Cuts the TCP connection without a closing handshake. */
  cut(): void {
    this.isClosing = true;
    this.socket.terminate();
  }

  /** Closes the socket. Resolves when the socket is closed. */
  closeAndWait(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.close();
    return closed;
  }

  protected receive(frame: WireFrame): void {
    for (const waiter of this.waiters) {
      if (!waiter.matches(frame)) continue;
      waiter.resolve(frame);
      this.waiters.delete(waiter);
    }
    this.onFrame(frame);
  }

  /** Rejects the pending calls of `waitForFrame` and calls `onClose`. Logs the close if there is neither. */
  private handleClosedByServer(code: number): void {
    const error = new Error(`A socket was closed with ${code}`);
    for (const { reject } of this.waiters) reject(error);
    if (this.onClose) this.onClose(code);
    else if (this.waiters.size === 0) process.stderr.write(`${error.message}\n`);
  }
}

const waitUntilOpen = (socket: WebSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
    socket.once('unexpected-response', (request, response) => {
      request.destroy();
      reject(new Error(`An upgrade was answered ${response.statusCode}`));
    });
  });

/** Thaw's protocol: JSON text frames. */
export class JsonWire extends Wire {
  /** @param options.greeting event that the server sends first, and that `open` waits for; by default none */
  static async open(
    url: string,
    { headers = {}, greeting }: { headers?: Record<string, string>; greeting?: string } = {},
  ): Promise<JsonWire> {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    const wire = new JsonWire(socket);
    socket.on('message', (raw) => wire.receive(JSON.parse((raw as Buffer).toString()) as WireFrame));
    // Waits from before the handshake, because the first frame may arrive together with the handshake's response.
    const greetingFrame =
      greeting === undefined ? undefined : wire.waitForFrame(({ event }) => event === greeting);
    await waitUntilOpen(socket);
    await greetingFrame;
    return wire;
  }

  send(event: string, data: object, ref: string): void {
    this.socket.send(JSON.stringify({ event, data, ref }));
  }
}

// Types of packets, with which each packet begins. Engine.IO has one digit. Its type 4 is a message of Socket.IO, whose
// type is the second digit.
const OPEN = '0';
const PING = '2';
const PONG = '3';
const CONNECT = '40';
const CONNECT_ERROR = '44';
const EVENT = '42';
const ACK = '43';

/**
 * The session of a socket, which a later socket can recover (connection state recovery of Socket.IO). The names are
 * those of the protocol.
 */
interface RecoverableSession {
  /** Private id of the session. */
  pid: string;
  /** Position of the last event that was received. */
  offset?: string;
}

interface SocketIoOptions {
  headers?: Record<string, string>;
  /** The session of a lost socket, which the server may recover. */
  recoveredSession?: RecoverableSession;
  /** Also receives the events that the server sends during the handshake. */
  onFrame?: (frame: WireFrame) => void;
}

/** Socket.IO 4 over a bare WebSocket, so that the same cheap client generates the load for all contenders. */
export class SocketIoWire extends Wire {
  /** The `ref` of each request without a response, by the packet id of Socket.IO. */
  private readonly refs = new Map<number, string>();
  private lastPacketId = 0;
  private pid: string | undefined;
  private offset: string | undefined;

  /** The session of this socket; undefined when the server does not offer recovery. */
  get recoverableSession(): RecoverableSession | undefined {
    return this.pid === undefined ? undefined : { pid: this.pid, offset: this.offset };
  }

  static async open(
    origin: string,
    { headers = {}, recoveredSession, onFrame }: SocketIoOptions = {},
  ): Promise<SocketIoWire> {
    const url = `${origin.replace(/^http/, 'ws')}/ws?EIO=4&transport=websocket`;
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    const wire = new SocketIoWire(socket);
    if (onFrame) wire.onFrame = onFrame;
    const connectPacket = CONNECT + (recoveredSession ? JSON.stringify(recoveredSession) : '');
    const connected = new Promise<void>((resolve, reject) => {
      socket.on('message', (raw) => {
        const packet = (raw as Buffer).toString();
        if (packet.startsWith(EVENT)) wire.receiveEvent(packet);
        else if (packet.startsWith(ACK)) wire.receiveAck(packet);
        else if (packet === PING) socket.send(PONG);
        else if (packet.startsWith(OPEN)) socket.send(connectPacket);
        else if (packet.startsWith(CONNECT)) {
          wire.pid = (JSON.parse(packet.slice(CONNECT.length)) as { pid?: string }).pid;
          // Until an event arrives, the last received event is that of the lost socket.
          wire.offset = recoveredSession?.offset;
          resolve();
        } else if (packet.startsWith(CONNECT_ERROR)) reject(new Error(`A connection was refused: ${packet}`));
      });
    });
    await waitUntilOpen(socket);
    await connected;
    return wire;
  }

  send(event: string, data: object, ref: string): void {
    this.lastPacketId += 1;
    this.refs.set(this.lastPacketId, ref);
    this.socket.send(`${EVENT}${this.lastPacketId}${JSON.stringify([event, data])}`);
  }

  /** Receives `42[event, data]`. A server with recovery adds the offset to every event. */
  private receiveEvent(packet: string): void {
    const payload: unknown = JSON.parse(packet.slice(packet.indexOf('[')));
    const [event, data, offset] = payload as [string, Record<string, unknown>, string | undefined];
    this.offset = offset ?? this.offset;
    this.receive({ event, data });
  }

  /** Receives `43<packet id>[data]`, the response to a request. */
  private receiveAck(packet: string): void {
    const payloadStart = packet.indexOf('[');
    const [data] = JSON.parse(packet.slice(payloadStart)) as [Record<string, unknown>];
    const packetId = Number(packet.slice(ACK.length, payloadStart));
    const ref = this.refs.get(packetId);
    this.refs.delete(packetId);
    this.receive({ event: 'ack', data, ref });
  }
}
