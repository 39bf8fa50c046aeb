import { EventEmitter } from 'node:events';
import { WebSocket } from 'ws';
import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import type { Gender } from '@thaw/contract/scalars';
import type { SelfUser } from '@thaw/contract/users';

/** A frame as received, and its time. */
export interface ReceivedFrame {
  event: string;
  data: Record<string, unknown>;
  ref?: string;
}

type Match = (frame: ReceivedFrame) => boolean;

/**
 * How long an answer or a frame may take; less than the time limit of a test, so that the error names what is missing.
 */
const WAIT_MS = 25_000;

/** A visitor with a cookie jar, who uses the HTTP API of a Thaw server. */
export class ThawVisitor {
  private readonly cookies = new Map<string, string>();
  private readonly sockets: ThawSocket[] = [];
  user!: SelfUser;

  /** @param origins addresses of replicas, `http://…`; the first serves HTTP requests. */
  constructor(readonly origins: readonly string[]) {}

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${this.origins[0]}${path}`, {
      method,
      headers: {
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...(this.cookies.size > 0 ? { cookie: this.cookie } : {}),
        ...headers,
      },
      body: body === undefined || isForm ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(WAIT_MS),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, pair.slice(name.length + 1));
    }
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      body: (isJson && text ? JSON.parse(text) : {}) as Record<string, unknown>,
      headers: response.headers,
    };
  }

  /** Starts an anonymous session and chooses a gender, if given. */
  async joinAnonymously(gender?: Gender): Promise<this> {
    await this.startSession('/api/anonymous', {});
    if (gender) await this.chooseGender(gender);
    return this;
  }

  async register(email: string, password: string, gender?: Gender): Promise<this> {
    await this.startSession('/api/register', { email, password });
    if (gender) await this.chooseGender(gender);
    return this;
  }

  /** Logs in to an existing account. */
  async logIn(email: string, password: string): Promise<this> {
    await this.startSession('/api/login', { email, password });
    return this;
  }

  async logOut(): Promise<void> {
    const { status } = await this.call('POST', '/api/logout');
    if (status !== 204) throw new Error(`Logging out answered ${status}`);
  }

  private async startSession(path: string, body: object): Promise<void> {
    const response = await this.call('POST', path, body);
    if (response.status !== 201 && response.status !== 200)
      throw new Error(`${path} answered ${response.status}`);
    this.user = response.body.user as SelfUser;
  }

  private async chooseGender(gender: Gender): Promise<void> {
    const { status, body } = await this.call('PATCH', `/api/user/${this.user.id}`, { gender });
    if (status !== 200) throw new Error(`Choosing a gender answered ${status}`);
    this.user = body.user as SelfUser;
  }

  /** Opens a socket on one of the origins, not yet authenticated. */
  async connect(origin = this.origins[0] ?? '', headers: Record<string, string> = {}): Promise<ThawSocket> {
    const socket = await ThawSocket.open(
      `${origin.replace(/^http/, 'ws')}/ws`,
      { cookie: this.cookie, ...headers },
      this.user?.id ?? 0,
    );
    this.sockets.push(socket);
    return socket;
  }

  async closeSockets(): Promise<void> {
    await Promise.all(this.sockets.splice(0).map((socket) => socket.leave()));
  }

  /** Opens a socket and authenticates it. */
  async openSocket(origin?: string, lastSeen?: { sessionId: string; seq: number }): Promise<ThawSocket> {
    const socket = await this.connect(origin);
    await socket.request('authenticate', { userId: this.user.id, lastSeen });
    return socket;
  }
}

/** A socket that records every received frame, and checks the order of `seq` as a client must. */
export class ThawSocket {
  readonly frames: ReceivedFrame[] = [];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  private readonly arrivals = new EventEmitter().setMaxListeners(0);
  private refs = 0;
  /** Last `seq` seen per session, in frames and acks. */
  private readonly seen = new Map<string, number>();
  /** Gaps and repetitions of `seq`. */
  readonly seqViolations: string[] = [];
  private readonly sessionOfRef = new Map<string, string>();

  private constructor(
    readonly webSocket: WebSocket,
    readonly userId: number,
  ) {
    this.closed = new Promise((resolve) => webSocket.once('close', resolve));
    webSocket.on('error', () => undefined); // `closed` resolves in any case
    webSocket.on('message', (raw) => this.receive(JSON.parse((raw as Buffer).toString()) as ReceivedFrame));
  }

  static async open(url: string, headers: Record<string, string>, userId: number): Promise<ThawSocket> {
    const socket = new WebSocket(url, { headers });
    const client = new ThawSocket(socket, userId);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_, response) =>
        reject(new Error(`Upgrade answered ${response.statusCode}`)),
      );
      socket.once('error', reject);
    });
    return client;
  }

  getLastSeen(sessionId: string): number {
    return this.seen.get(sessionId) ?? 0;
  }

  send(frame: object | string): void {
    this.webSocket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Sends a frame with a ref and waits for its answer, of any kind. */
  async ask<E extends ClientEvent>(event: E, data: ClientInput<E>): Promise<ReceivedFrame> {
    this.refs += 1;
    const ref = `${this.userId}.${this.refs}`;
    const { sessionId } = data as { sessionId?: string };
    if (sessionId !== undefined) this.sessionOfRef.set(ref, sessionId);
    const reply = this.waitFor((frame) => frame.ref === ref, `an answer to ${event}`);
    this.send({ event, data, ref });
    return reply;
  }

  /**
   * Like `ask`, but throws for an `error` answer.
   * @returns the data of the answer.
   */
  async request<E extends ClientEvent>(event: E, data: ClientInput<E>): Promise<Record<string, unknown>> {
    const reply = await this.ask(event, data);
    if (reply.event === 'error') throw new Error(`${event} was refused: ${String(reply.data.code)}`);
    return reply.data;
  }

  /** The first matching frame, received before or after the call. */
  async next(
    event: string,
    match: (data: Record<string, unknown>) => boolean = () => true,
  ): Promise<Record<string, unknown>> {
    const isMeant: Match = (frame) => frame.event === event && match(frame.data ?? {});
    const frame = this.frames.find(isMeant) ?? (await this.waitFor(isMeant, event));
    return frame.data;
  }

  /** Like `next`, but also removes the frame from the record. */
  async take(
    event: string,
    match?: (data: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    const data = await this.next(event, match);
    const index = this.frames.findIndex((frame) => frame.data === data);
    if (index >= 0) this.frames.splice(index, 1);
    return data;
  }

  all(event: string): Record<string, unknown>[] {
    return this.frames.filter((frame) => frame.event === event).map(({ data }) => data);
  }

  /** Closes with 1000, as a page does when it is left. */
  async leave(): Promise<void> {
    this.webSocket.close(1000);
    await this.closed;
  }

  /** Terminates the connection without a close frame. */
  async cut(): Promise<void> {
    this.webSocket.terminate();
    await this.closed;
  }

  private waitFor(match: Match, what: string): Promise<ReceivedFrame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.arrivals.off('frame', listener);
        const seen = this.frames.map(({ event }) => event).join(', ');
        reject(new Error(`User ${this.userId} waited ${WAIT_MS} ms for ${what}; received: ${seen}`));
      }, WAIT_MS);
      const listener = (frame: ReceivedFrame) => {
        if (!match(frame)) return;
        clearTimeout(timer);
        this.arrivals.off('frame', listener);
        resolve(frame);
      };
      this.arrivals.on('frame', listener);
    });
  }

  private receive(frame: ReceivedFrame): void {
    this.checkOrder(frame);
    this.frames.push(frame);
    this.arrivals.emit('frame', frame);
  }

  /** Records the `seq` of a frame, and a gap or repetition. A frame without one is not part of the order. */
  private checkOrder({ event, data, ref }: ReceivedFrame): void {
    const sessionId = (data?.sessionId as string | undefined) ?? (ref && this.sessionOfRef.get(ref));
    const seq = data?.seq;
    if (typeof seq !== 'number' || sessionId === undefined || sessionId === '') return;
    const before = this.getLastSeen(sessionId);
    if (event === 'session_resumed') {
      this.seen.set(sessionId, Math.max(before, seq));
      return;
    }
    const isRepeatedAck = event === 'ack' && seq <= before;
    if (seq !== before + 1 && !isRepeatedAck)
      this.seqViolations.push(`${sessionId}: ${before} → ${seq} (${event})`);
    this.seen.set(sessionId, Math.max(before, seq));
  }
}

/** `data` of a text message in a random chat. */
export const textMessage = (sessionId: string, content: string, clientId?: string) => ({
  sessionId,
  content,
  messageType: 'text' as const,
  clientId,
});

/** Two visitors in a chat with each other, each on one of the origins. */
export const matchNewVisitors = async (
  origins: readonly [string, string],
): Promise<{
  ada: ThawVisitor;
  bob: ThawVisitor;
  adaSocket: ThawSocket;
  bobSocket: ThawSocket;
  sessionId: string;
}> => {
  const [first, second] = origins;
  const ada = await new ThawVisitor([first]).joinAnonymously('female');
  const bob = await new ThawVisitor([second]).joinAnonymously('male');
  const adaSocket = await ada.openSocket();
  const bobSocket = await bob.openSocket();
  await adaSocket.request('join_queue', {});
  await bobSocket.request('join_queue', {});
  const { sessionId } = await adaSocket.next('chat_matched', ({ partnerId }) => partnerId === bob.user.id);
  await bobSocket.next('chat_matched', (data) => data.sessionId === sessionId);
  return { ada, bob, adaSocket, bobSocket, sessionId: String(sessionId) };
};
