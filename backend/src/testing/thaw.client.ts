import { EventEmitter } from 'node:events';
import { WebSocket } from 'ws';
import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import type { Gender } from '@thaw/contract/scalars';
import type { SelfUser } from '@thaw/contract/users';

export interface ReceivedFrame {
  event: string;
  data: Record<string, unknown>;
  /** Only in answers: the `ref` of the answered frame. */
  ref?: string;
}

type FrameFilter = (frame: ReceivedFrame) => boolean;
type DataFilter = (data: Record<string, unknown>) => boolean;

/**
 * How long to wait for an HTTP response or a frame. Less than the time limit of a test, so that the error names what is
 * missing.
 */
const MAX_WAIT_MS = 25_000;

/** A user of a Thaw server, with a cookie jar for HTTP requests and any number of sockets. */
export class ThawVisitor {
  private readonly cookies = new Map<string, string>();
  private readonly sockets: ThawSocket[] = [];
  /** Set by `joinAnonymously`, `register` and `logIn`. */
  user!: SelfUser;

  /** @param origins addresses of replicas, `http://…`. The first one serves HTTP requests. */
  constructor(readonly origins: readonly string[]) {}

  /** The value of the header `Cookie`. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Sends a request. @param body a form, or a value that is sent as JSON */
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
      signal: AbortSignal.timeout(MAX_WAIT_MS),
    });
    for (const line of response.headers.getSetCookie()) this.storeCookie(line);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      body: (isJson && text ? JSON.parse(text) : {}) as Record<string, unknown>,
      headers: response.headers,
    };
  }

  /** @param line the value of a header `Set-Cookie`. */
  private storeCookie(line: string): void {
    const [pair = ''] = line.split(';');
    const [name = ''] = pair.split('=', 1);
    const value = pair.slice(name.length + 1); // may contain `=`
    // A server deletes a cookie with an empty value or an expiry in the past.
    const isDeleted = value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line);
    if (isDeleted) this.cookies.delete(name);
    else this.cookies.set(name, value);
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
    if (status !== 204) throw new Error(`The logout was answered with ${status}`);
  }

  private async startSession(path: string, body: object): Promise<void> {
    const response = await this.call('POST', path, body);
    if (response.status !== 201 && response.status !== 200)
      throw new Error(`${path} was answered with ${response.status}`);
    this.user = response.body.user as SelfUser;
  }

  private async chooseGender(gender: Gender): Promise<void> {
    const { status, body } = await this.call('PATCH', `/api/user/${this.user.id}`, { gender });
    if (status !== 200) throw new Error(`The choice of a gender was answered with ${status}`);
    this.user = body.user as SelfUser;
  }

  /** Opens a socket on one of the origins without authenticating it. */
  async openUnauthenticatedSocket(
    origin = this.origins[0] ?? '',
    headers: Record<string, string> = {},
  ): Promise<ThawSocket> {
    const socket = await ThawSocket.open(
      `${origin.replace(/^http/, 'ws')}/ws`,
      { cookie: this.cookie, ...headers },
      this.user?.id ?? 0, // `user` is not set before a login
    );
    this.sockets.push(socket);
    return socket;
  }

  async closeSockets(): Promise<void> {
    await Promise.all(this.sockets.splice(0).map((socket) => socket.closeCleanly()));
  }

  /** Opens a socket and authenticates it. @param lastSeen a chat to resume, with the last `seq` that was seen in it */
  async openSocket(origin?: string, lastSeen?: { sessionId: string; seq: number }): Promise<ThawSocket> {
    const socket = await this.openUnauthenticatedSocket(origin);
    await socket.request('authenticate', { userId: this.user.id, lastSeen });
    return socket;
  }
}

/**
 * A socket that records every received frame. It also checks the order of `seq`: the events of a chat are numbered, and
 * a client must receive each number once and in order.
 */
export class ThawSocket {
  readonly frames: ReceivedFrame[] = [];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  /** Emits `frame` for each received frame. */
  private readonly arrivals = new EventEmitter().setMaxListeners(0); // one listener for each pending wait
  private refCount = 0;
  /** Last `seq` of each chat, in frames and acks. */
  private readonly lastSeqs = new Map<string, number>();
  /** Gaps and repetitions of `seq`. */
  readonly seqViolations: string[] = [];
  /** The session ids of sent frames, by `ref`: an ack has a `seq` but no session id. */
  private readonly sessionIdsByRef = new Map<string, string>();

  private constructor(
    readonly webSocket: WebSocket,
    /** Only used in refs and error messages. */
    readonly userId: number,
  ) {
    this.closed = new Promise((resolve) => webSocket.once('close', resolve));
    webSocket.on('error', () => undefined); // `closed` resolves after an error, too
    webSocket.on('message', (raw) => this.receive(JSON.parse((raw as Buffer).toString()) as ReceivedFrame));
  }

  /** @throws Error when the server refuses the upgrade or the connection fails. */
  static async open(url: string, headers: Record<string, string>, userId: number): Promise<ThawSocket> {
    const webSocket = new WebSocket(url, { headers });
    const socket = new ThawSocket(webSocket, userId);
    await new Promise<void>((resolve, reject) => {
      webSocket.once('open', resolve);
      webSocket.once('unexpected-response', (_, response) =>
        reject(new Error(`Upgrade answered ${response.statusCode}`)),
      );
      webSocket.once('error', reject);
    });
    return socket;
  }

  /** The last `seq` seen in a chat; 0 if none was. */
  getLastSeq(sessionId: string): number {
    return this.lastSeqs.get(sessionId) ?? 0;
  }

  /** Sends an object as JSON, and a string as it is, so that tests can send invalid JSON. */
  send(frame: object | string): void {
    this.webSocket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Sends a frame with a `ref`. @returns its answer, which may be an `error`. */
  async ask<E extends ClientEvent>(event: E, data: ClientInput<E>): Promise<ReceivedFrame> {
    this.refCount += 1;
    const ref = `${this.userId}.${this.refCount}`;
    const { sessionId } = data as { sessionId?: string };
    if (sessionId !== undefined) this.sessionIdsByRef.set(ref, sessionId);
    const answer = this.waitFor((frame) => frame.ref === ref, `an answer to ${event}`);
    this.send({ event, data, ref });
    return answer;
  }

  /**
   * Like `ask`, but throws when the answer is an `error`.
   * @returns the data of the answer.
   */
  async request<E extends ClientEvent>(event: E, data: ClientInput<E>): Promise<Record<string, unknown>> {
    const answer = await this.ask(event, data);
    if (answer.event === 'error') throw new Error(`${event} was refused: ${String(answer.data.code)}`);
    return answer.data;
  }

  /** Returns the data of the first matching frame in `frames`. If there is none yet, waits for one. */
  async next(event: string, matches?: DataFilter): Promise<Record<string, unknown>> {
    const frame = await this.findOrWaitFor(event, matches);
    return frame.data;
  }

  /** Like `next`, but also removes the frame from `frames`, so that the next call returns another one. */
  async take(event: string, matches?: DataFilter): Promise<Record<string, unknown>> {
    const frame = await this.findOrWaitFor(event, matches);
    const index = this.frames.indexOf(frame);
    if (index >= 0) this.frames.splice(index, 1); // a concurrent call may have removed it
    return frame.data;
  }

  private async findOrWaitFor(event: string, matches: DataFilter = () => true): Promise<ReceivedFrame> {
    const filter: FrameFilter = (frame) => frame.event === event && matches(frame.data ?? {}); // `pong` has no data
    return this.frames.find(filter) ?? this.waitFor(filter, event);
  }

  /** Returns the data of all received frames of an event. */
  all(event: string): Record<string, unknown>[] {
    return this.frames.filter((frame) => frame.event === event).map(({ data }) => data);
  }

  /** Closes with 1000, as a page does when it is left. */
  async closeCleanly(): Promise<void> {
    this.webSocket.close(1000);
    await this.closed;
  }

  /** Terminates the connection without a close frame. */
  async terminate(): Promise<void> {
    this.webSocket.terminate();
    await this.closed;
  }

  /** @param description what is awaited, for the error. */
  private waitFor(filter: FrameFilter, description: string): Promise<ReceivedFrame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.arrivals.off('frame', listener);
        const received = this.frames.map(({ event }) => event).join(', ');
        reject(
          new Error(`User ${this.userId} waited ${MAX_WAIT_MS} ms for ${description}; received: ${received}`),
        );
      }, MAX_WAIT_MS);
      const listener = (frame: ReceivedFrame) => {
        if (!filter(frame)) return;
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

  /** Records the `seq` of a frame, and a gap or repetition. Frames without a `seq` are not events of a chat. */
  private checkOrder({ event, data, ref }: ReceivedFrame): void {
    const sessionId = (data?.sessionId as string | undefined) ?? this.sessionIdsByRef.get(ref ?? '');
    const seq = data?.seq;
    if (typeof seq !== 'number' || sessionId === undefined) return;
    const previousSeq = this.getLastSeq(sessionId);
    this.lastSeqs.set(sessionId, Math.max(previousSeq, seq));
    if (event === 'session_resumed') return; // it contains missed events, and its `seq` is that of the last one
    const isNext = seq === previousSeq + 1;
    // A command that was sent twice is acknowledged again with the `seq` of the first time.
    const isRepeatedAck = event === 'ack' && seq <= previousSeq;
    if (!isNext && !isRepeatedAck)
      this.seqViolations.push(`${sessionId}: ${previousSeq} → ${seq} (${event})`);
  }
}

/** Builds the `data` of a frame `random_message` with a text. */
export const textMessage = (sessionId: string, content: string, clientId?: string) => ({
  sessionId,
  content,
  messageType: 'text' as const,
  clientId,
});

/** Signs in two new visitors, one on each origin, and matches them in a random chat. */
export const matchNewVisitors = async (
  origins: readonly [string, string],
): Promise<{
  ada: ThawVisitor;
  bob: ThawVisitor;
  adaSocket: ThawSocket;
  bobSocket: ThawSocket;
  sessionId: string;
}> => {
  const [originOfAda, originOfBob] = origins;
  const ada = await new ThawVisitor([originOfAda]).joinAnonymously('female');
  const bob = await new ThawVisitor([originOfBob]).joinAnonymously('male');
  const adaSocket = await ada.openSocket();
  const bobSocket = await bob.openSocket();
  await adaSocket.request('join_queue', {});
  await bobSocket.request('join_queue', {});
  const { sessionId } = await adaSocket.next('chat_matched', ({ partnerId }) => partnerId === bob.user.id);
  await bobSocket.next('chat_matched', (data) => data.sessionId === sessionId);
  return { ada, bob, adaSocket, bobSocket, sessionId: String(sessionId) };
};
