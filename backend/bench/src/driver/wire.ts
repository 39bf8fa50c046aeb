import { WebSocket } from 'ws';

export interface WireFrame {
  event: string;
  data: Record<string, unknown>;
  ref?: string;
}

/** A client socket of any protocol. Frames are `{event, data, ref}`; an answer has the `ref` of its request. */
export abstract class Wire {
  onFrame: (frame: WireFrame) => void = () => undefined;
  /** Called when the server closes the socket. Without it, that is an error. */
  onClose: ((code: number) => void) | undefined;
  private isClosing = false;
  /** Callers of `waitForFrame` whose frame has not arrived. `resolve` only stops the timer: `match` resolves. */
  private readonly waiting = new Set<{
    match: (frame: WireFrame) => boolean;
    resolve: () => void;
    reject: (error: Error) => void;
  }>();

  protected constructor(protected readonly socket: WebSocket) {
    socket.once('close', (code: number) => {
      if (this.isClosing) return;
      const error = new Error(`A socket was closed with ${code}`);
      for (const { reject } of this.waiting) reject(error);
      if (this.onClose) this.onClose(code);
      else if (this.waiting.size === 0) process.stderr.write(`${error.message}\n`);
    });
  }

  abstract send(event: string, data: object, ref: string): void;

  /** Sends a frame and waits for the answer. @throws Error when the answer is an error, or none arrives. */
  async request(event: string, data: object, answer = 'ack'): Promise<Record<string, unknown>> {
    const ref = `request-${event}`;
    const answered = this.waitForFrame((frame) => frame.ref === ref);
    this.send(event, data, ref);
    const frame = await answered;
    if (frame.event !== answer) throw new Error(`${event} was answered ${JSON.stringify(frame)}`);
    return frame.data;
  }

  /** Resolves with the next frame that matches. @throws Error after `withinMs`. */
  waitForFrame(match: (frame: WireFrame) => boolean, withinMs = 20_000): Promise<WireFrame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('No matching frame arrived in time')), withinMs);
      const entry = {
        match: (frame: WireFrame): boolean => {
          if (!match(frame)) return false;
          resolve(frame);
          return true;
        },
        resolve: () => clearTimeout(timer),
        reject: (error: Error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.waiting.add(entry);
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

  /** Closes the socket. Resolves when it is closed. */
  closeAndWait(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return Promise.resolve();
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.close();
    return closed;
  }

  protected receive(frame: WireFrame): void {
    for (const entry of this.waiting) {
      if (!entry.match(frame)) continue;
      entry.resolve();
      this.waiting.delete(entry);
    }
    this.onFrame(frame);
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
  /** @param greeting the first event that the server sends, which `open` waits for. */
  static async open(
    url: string,
    { headers = {}, greeting }: { headers?: Record<string, string>; greeting?: string } = {},
  ): Promise<JsonWire> {
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    const wire = new JsonWire(socket);
    socket.on('message', (raw) => wire.receive(JSON.parse((raw as Buffer).toString()) as WireFrame));
    // Subscribe before the handshake: a fast server's first frame arrives together with it.
    const greeted = greeting === undefined ? undefined : wire.waitForFrame(({ event }) => event === greeting);
    await waitUntilOpen(socket);
    await greeted;
    return wire;
  }

  send(event: string, data: object, ref: string): void {
    this.socket.send(JSON.stringify({ event, data, ref }));
  }
}

// How the packets of Engine.IO 4 and Socket.IO begin.
const OPEN = '0';
const PING = '2';
const PONG = '3';
const CONNECT = '40';
const CONNECT_ERROR = '44';
const EVENT = '42';
const ACK = '43';

/** The session of a Socket.IO client with connection state recovery. */
interface Recoverable {
  pid: string;
  offset?: string;
}

/** Socket.IO 4 over a bare WebSocket, so that the same cheap client drives all contenders. */
export class SocketIoWire extends Wire {
  private readonly refs = new Map<number, string>();
  private nextId = 0;
  private pid: string | undefined;
  /** Position of the last event, which a server with recovery adds to every event. */
  private offset: string | undefined;

  /** What a later socket needs to recover this one; undefined when the server does not offer that. */
  get recoverable(): Recoverable | undefined {
    return this.pid === undefined ? undefined : { pid: this.pid, offset: this.offset };
  }

  static async open(
    origin: string,
    headers: Record<string, string> = {},
    { recovered, onFrame }: { recovered?: Recoverable; onFrame?: (frame: WireFrame) => void } = {},
  ): Promise<SocketIoWire> {
    const url = `${origin.replace(/^http/, 'ws')}/ws?EIO=4&transport=websocket`;
    const socket = new WebSocket(url, { headers, perMessageDeflate: false });
    const wire = new SocketIoWire(socket);
    if (onFrame) wire.onFrame = onFrame;
    const connect = CONNECT + (recovered ? JSON.stringify(recovered) : '');
    const connected = new Promise<void>((resolve, reject) => {
      socket.on('message', (raw) => {
        const text = (raw as Buffer).toString();
        if (text.startsWith(EVENT) || text.startsWith(ACK)) wire.receivePacket(text);
        else if (text.startsWith(CONNECT)) {
          wire.pid = (JSON.parse(text.slice(CONNECT.length)) as { pid?: string }).pid;
          wire.offset = recovered?.offset;
          resolve();
        } else if (text.startsWith(CONNECT_ERROR)) reject(new Error(`A connection was refused: ${text}`));
        else if (text === PING) socket.send(PONG);
        else if (text.startsWith(OPEN)) socket.send(connect);
      });
    });
    await waitUntilOpen(socket);
    await connected;
    return wire;
  }

  send(event: string, data: object, ref: string): void {
    this.nextId += 1;
    this.refs.set(this.nextId, ref);
    this.socket.send(`${EVENT}${this.nextId}${JSON.stringify([event, data])}`);
  }

  private receivePacket(text: string): void {
    const start = text.indexOf('[');
    const [first, second, offset] = JSON.parse(text.slice(start)) as [unknown, unknown, string | undefined];
    if (text.startsWith(EVENT)) {
      this.offset = offset ?? this.offset;
      this.receive({ event: String(first), data: second as Record<string, unknown> });
      return;
    }
    const id = Number(text.slice(2, start));
    const ref = this.refs.get(id);
    this.refs.delete(id);
    this.receive({ event: 'ack', data: first as Record<string, unknown>, ref });
  }
}
