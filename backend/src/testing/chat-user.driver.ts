import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { shouldReconnectAfter } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { type ReceivedFrame, type ThawSocket, ThawVisitor } from './thaw.client';

/** Error codes after which a message is sent again, as the page does. */
const RETRIED_ERRORS: ReadonlySet<unknown> = new Set(['unavailable', 'rate_limited']);
/** Delay before a message is sent again after such an error, unless the server says how long to wait. */
const DEFAULT_RETRY_AFTER_MS = 250;
const SOCKET_POLL_MS = 10;

interface KnownMessage {
  id: unknown;
  senderId: unknown;
  content: unknown;
}

/**
 * A user in a random chat who behaves as the page does: reconnects by the rules of the contract after a lost socket,
 * resumes with the last `seq` (the number of an event in its chat) that was seen, and resends messages that were not
 * acknowledged. Records what happens, and violations of the protocol.
 */
export class ChatUser {
  /** The messages of the chat as this user knows them, by `seq`. */
  readonly history = new Map<number, KnownMessage>();
  /** Acknowledged messages: content to `seq`. */
  readonly acked = new Map<string, number>();
  /** Close codes of lost sockets. */
  readonly closeCodes: number[] = [];
  /** Milliseconds from each lost socket to the resumed chat. */
  readonly absencesMs: number[] = [];
  /** Descriptions of the violations of the protocol. */
  readonly violations: string[] = [];
  /** Last `seq` seen, in frames and acks. */
  seq = 0;
  sessionId: string | undefined;
  /** The open, authenticated socket. Set by `join`, and replaced after each loss. */
  socket!: Promise<ThawSocket>;
  readonly visitor: ThawVisitor;
  /** Messages that are not acknowledged yet: `clientId` to content. */
  private readonly unacked = new Map<string, string>();
  /** Whether a lost socket is replaced. */
  private shouldReconnect = true;

  constructor(origin: string) {
    this.visitor = new ThawVisitor([origin]);
  }

  get id(): number {
    return this.visitor.user.id;
  }

  /** Signs in and opens the first socket. */
  async join(gender: 'male' | 'female'): Promise<this> {
    await this.visitor.joinAnonymously(gender);
    this.socket = this.connect();
    await this.socket;
    return this;
  }

  async search(): Promise<void> {
    await (await this.socket).request('join_queue', {});
  }

  /**
   * Waits for a match.
   * @returns the partner's id.
   */
  async waitForMatch(): Promise<number> {
    const { sessionId, seq, partnerId } = await (await this.socket).next('chat_matched');
    this.sessionId = String(sessionId);
    this.seq = Number(seq);
    return Number(partnerId);
  }

  /**
   * Sends a message. Sends it again after a lost socket or a temporary error, until it is acknowledged.
   * @throws Error when the user leaves or stops reconnecting first, or when the message is refused for good.
   */
  async send(content: string): Promise<void> {
    const clientId = randomUUID();
    this.unacked.set(clientId, content);
    const message = { sessionId: this.sessionId ?? '', content, messageType: 'text' as const, clientId };
    for (;;) {
      const answer = await askUnlessClosed(await this.socket, message);
      if (answer?.event === 'ack') return;
      if (!this.shouldReconnect)
        throw new Error('A message is not acknowledged, and the user no longer reconnects');
      await sleep(getRetryDelayMs(answer));
    }
  }

  /** Closes the socket, as the page does when it is left. */
  async leave(): Promise<void> {
    this.stopReconnecting();
    await (await this.socket).closeCleanly();
  }

  /** From now on, a lost socket is neither recorded nor replaced. */
  stopReconnecting(): void {
    this.shouldReconnect = false;
  }

  private async connect(): Promise<ThawSocket> {
    const socket = await this.visitor.openUnauthenticatedSocket();
    socket.webSocket.on('message', (raw) =>
      this.receive(JSON.parse((raw as Buffer).toString()) as ReceivedFrame),
    );
    const lastSeen = this.sessionId === undefined ? undefined : { sessionId: this.sessionId, seq: this.seq };
    const closedTooEarly = socket.closed.then((code) => {
      throw new Error(`closed with ${code} before it was authenticated and resumed`);
    });
    await Promise.race([this.authenticate(socket, lastSeen), closedTooEarly]);
    void socket.closed.then((code) => this.handleClose(code));
    return socket;
  }

  /** Authenticates the socket and, after a loss, waits until the chat is resumed. */
  private async authenticate(
    socket: ThawSocket,
    lastSeen?: { sessionId: string; seq: number },
  ): Promise<void> {
    const { state } = await socket.request('authenticate', { userId: this.id, lastSeen });
    if (!lastSeen) return;
    if (state !== 'chatting')
      this.violations.push(`reconnected and was ${String(state)} instead of chatting`);
    await socket.next('session_resumed', ({ last }) => last === true);
  }

  private handleClose(code: number): void {
    if (!this.shouldReconnect) return;
    this.closeCodes.push(code);
    if (!shouldReconnectAfter(code)) this.violations.push(`closed with ${code}`);
    this.socket = this.reconnect(Date.now());
    this.socket.catch((error: unknown) => this.violations.push(`did not reconnect: ${String(error)}`));
  }

  private async reconnect(lostAt: number): Promise<ThawSocket> {
    for (let attempt = 1; ; attempt += 1) {
      await sleep(reconnectDelayMs(attempt));
      try {
        const socket = await this.connect();
        this.absencesMs.push(Date.now() - lostAt);
        return socket;
      } catch (error) {
        if (attempt === limits.reconnectAttempts) throw error;
      }
    }
  }

  private receive({ event, data }: Pick<ReceivedFrame, 'event' | 'data'>): void {
    const frameSessionId = data?.sessionId; // `pong` has no data
    const hasBothIds = frameSessionId !== undefined && this.sessionId !== undefined;
    const isOfThisChat = hasBothIds && frameSessionId === this.sessionId;
    const isOfEarlierChat = hasBothIds && frameSessionId !== this.sessionId;
    if (isOfEarlierChat) return;
    switch (event) {
      case 'random_message':
        this.recordMessage(Number(data.seq), data as unknown as KnownMessage);
        return;
      case 'ack':
        // Only the ack of a message has a `clientId`.
        if (data.clientId) this.acknowledge(data);
        return;
      case 'session_resumed':
        for (const frame of data.events as ReceivedFrame[]) this.receive(frame);
        return;
      case 'chat_skipped':
        // These users never skip, so their chat must not end.
        this.violations.push(`the chat ended: ${String(data.reason)}`);
        return;
      default:
        // Every other event of the chat advances the `seq`, even if its kind is unknown here.
        if (isOfThisChat && data.seq !== undefined) this.advance(Number(data.seq), event);
    }
  }

  /**
   * Records a `seq`, which must be the next one of the chat.
   * @param label the name of the event, or the content of the message; quoted if there is a violation.
   */
  private advance(seq: number, label: string): void {
    if (seq !== this.seq + 1) this.violations.push(`${seq} came after ${this.seq}: ${label}`);
    this.seq = Math.max(this.seq, seq);
  }

  private acknowledge(ack: Record<string, unknown>): void {
    const { id } = ack;
    const seq = Number(ack.seq);
    const clientId = String(ack.clientId);
    const content = this.unacked.get(clientId);
    if (content === undefined) {
      this.violations.push(`an ack without a request: ${seq}`);
      return;
    }
    this.unacked.delete(clientId);
    this.acked.set(content, seq);
    // The sender usually learns the `seq` of a message from the ack. The history has the message already if a
    // `session_resumed` contained it.
    const known = this.history.get(seq);
    if (known === undefined) this.recordMessage(seq, { id, senderId: this.id, content });
    else if (known.id !== id || known.content !== content)
      this.violations.push(`two messages have the seq ${seq}`);
  }

  /** Records a message, whose `seq` must be the next one. */
  private recordMessage(seq: number, { id, senderId, content }: KnownMessage): void {
    this.advance(seq, String(content));
    this.history.set(seq, { id, senderId, content });
  }
}

/** Sends a message. @returns the answer, or undefined if the socket closes first */
const askUnlessClosed = async (
  socket: ThawSocket,
  message: { sessionId: string; content: string; messageType: 'text'; clientId: string },
): Promise<ReceivedFrame | undefined> => {
  if (socket.webSocket.readyState !== socket.webSocket.OPEN) return undefined;
  return Promise.race([socket.ask('random_message', message), socket.closed.then(() => undefined)]);
};

/**
 * How long to wait before a message is sent again.
 * @param answer the error that the message was answered with; undefined if the socket closed first.
 * @throws Error when the message is refused for good.
 */
const getRetryDelayMs = (answer: ReceivedFrame | undefined): number => {
  if (answer === undefined) return SOCKET_POLL_MS; // `handleClose` is about to replace the socket
  const { code, retryAfterMs } = answer.data;
  if (!RETRIED_ERRORS.has(code)) throw new Error(`A message was refused: ${String(code)}`);
  return Number(retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
};

export type ChatUserPair = readonly [ChatUser, ChatUser];

/**
 * Creates `count` pairs of matched users, each pair in a chat of its own.
 * @param origins one or more replicas, to which the users connect in turn.
 */
export const createMatchedPairs = async (
  origins: string | readonly string[],
  count: number,
): Promise<ChatUserPair[]> => {
  const addresses = typeof origins === 'string' ? [origins] : origins;
  const users: ChatUser[] = [];
  for (let index = 0; index < 2 * count; index += 1) {
    const origin = addresses[index % addresses.length] ?? '';
    users.push(await new ChatUser(origin).join(index % 2 === 0 ? 'female' : 'male'));
  }
  for (const user of users) await user.search();
  const pairs: ChatUserPair[] = [];
  for (const user of users) {
    const partnerId = await user.waitForMatch();
    const partner = users.find(({ id }) => id === partnerId);
    if (!partner) throw new Error('A user was matched with someone who is not part of this test');
    if (user.id < partner.id) pairs.push([user, partner]); // each pair once
  }
  return pairs;
};

/**
 * Lets every user of the pairs send messages, about one every `everyMs`.
 * @returns a function that stops the sending and waits until the last messages are acknowledged. It rejects if a
 * message could not be sent.
 */
export const startSending = (
  pairs: readonly ChatUserPair[],
  { everyMs }: { everyMs: number },
): (() => Promise<void>) => {
  let isStopped = false;
  const sendAll = async (user: ChatUser, name: string): Promise<void> => {
    for (let number = 1; !isStopped; number += 1) {
      await user.send(`${name}.${number}`);
      // 0.75 to 1.25 times the interval, so that the users do not all send at the same moment.
      await sleep(everyMs * (0.75 + Math.random() / 2));
    }
  };
  const allSenders = Promise.all(
    pairs.flatMap(([first, second], index) => [
      sendAll(first, `${index}.first`),
      sendAll(second, `${index}.second`),
    ]),
  );
  allSenders.catch(() => undefined); // the returned function throws the error
  return async () => {
    isStopped = true;
    await allSenders;
  };
};

/**
 * Finds the faults of a pair that has stopped sending: both users must have the same messages with the same `seq`, and
 * have every acknowledged message exactly once.
 */
export const findFaults = ([first, second]: ChatUserPair): string[] => {
  const faults = [...first.violations, ...second.violations];
  if (JSON.stringify([...first.history]) !== JSON.stringify([...second.history])) {
    faults.push(`the histories differ: ${first.history.size} and ${second.history.size} messages`);
  }
  const contents = [...first.history.values()].map(({ content }) => content);
  if (new Set(contents).size !== contents.length) faults.push('a message is stored twice');
  // It is enough to search the history of `first`: if that of `second` differs, this is already a fault.
  for (const { acked } of [first, second]) {
    for (const [content, seq] of acked) {
      if (first.history.get(seq)?.content !== content)
        faults.push(`${content} was acknowledged as ${seq} and is missing`);
    }
  }
  return faults;
};
