import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import type { Gender } from '@thaw/contract/scalars';
import { ThawVisitor } from '#testing/thaw.client';
import type { Fingerprint } from '../check/fingerprint';
import { Connection } from './connection';
import { FrameRecorder } from './frame-recorder';
import type { Frame } from './page-socket';

/** Wait before a refused command is retried, if the refusal names none. */
const DEFAULT_RETRY_AFTER_MS = 250;
/** Longest wait before a retry, even if the service asks for a longer one, because a run is short. */
const MAX_RETRY_AFTER_MS = 2_000;
const RETRY_AFTER_NO_RESPONSE_MS = 20;
/** How long a command waits for the connection before it checks again whether it is still wanted. */
const READY_WAIT_MS = 1_000;
const HTTP_RETRY_AFTER_MS = 500;
/** Time limit of one HTTP request. */
const HTTP_TIMEOUT_MS = 12_000;
/** Error codes after which a command is retried. */
const RETRIED_CODES = new Set(['unavailable', 'rate_limited', 'internal']);
/** Error codes after which the user must receive the end of the chat (`chat_skipped`), if they have not yet. */
const CHAT_OVER_CODES = new Set(['session_ended', 'not_in_session']);
/** Time within which the end of the chat must arrive after such a refusal. */
const END_TIMEOUT_MS = 5_000;
const END_POLL_MS = 50;

/**
 * Outcome of a command. `done`: acknowledged; `chat_over`: refused, because its chat has ended; `refused`: refused for
 * another reason, or no longer wanted according to `isWanted`; `given_up`: not acknowledged, because the user was
 * stopping and the connection had given up reconnecting.
 */
export type Outcome = 'done' | 'chat_over' | 'refused' | 'given_up';

/** Result of an attempt that was neither acknowledged nor finally refused. */
interface Retry {
  retryAfterMs: number;
}

/** A simulated visitor: an account, a connection that reconnects, and a record of the frames received. */
export class SimulatedUser {
  readonly visitor: ThawVisitor;
  readonly connection: Connection;
  /** Set by `createAccount`. */
  recorder!: FrameRecorder;
  /**
   * Number of failed attempts: refused commands by error code, commands without a response as `no_answer`, and HTTP
   * calls as `http`, followed by the status if there was a response.
   */
  readonly failures: Record<string, number> = {};
  /** Number of acknowledged commands by event. */
  readonly acknowledged: Record<string, number> = {};
  /** While it is true, `call` sends nothing, and a command ends once the connection has given up reconnecting. */
  isStopping = false;
  /** Called with every frame, for the simulation that drives this user. */
  onFrame: ((frame: Frame) => void) | undefined;

  constructor(readonly origin: string) {
    this.visitor = new ThawVisitor([origin]);
    this.connection = new Connection(origin, () => this.visitor.cookie, {
      getAuthenticationData: () => ({ userId: this.id, lastSeen: this.recorder.prepareResume() }),
      onSocket: () => this.recorder.startSocket(),
      onFrame: (frame) => this.receive(frame),
      reportProblem: (description) => this.recorder.reportProblem(description),
    });
  }

  get id(): number {
    return this.visitor.user.id;
  }

  /** Creates an anonymous account, with retries until `deadline` (as `Date.now()`). @returns false on a timeout */
  async createAccount(gender: Gender, deadline = Infinity): Promise<boolean> {
    while (Date.now() < deadline) {
      try {
        await withTimeout(HTTP_TIMEOUT_MS, this.visitor.joinAnonymously(gender));
        this.recorder = new FrameRecorder(this.id, () => this.connection.authenticateAgain());
        return true;
      } catch {
        increment(this.failures, 'http');
        await sleep(HTTP_RETRY_AFTER_MS);
      }
    }
    return false;
  }

  connect(): void {
    this.connection.start();
  }

  disconnect(): void {
    this.connection.stop();
  }

  /**
   * Makes an idempotent HTTP call, and repeats it until the response is neither 429 nor 5xx.
   * @returns undefined when the user is stopping
   */
  async call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown } | undefined> {
    while (!this.isStopping) {
      try {
        const response = await withTimeout(HTTP_TIMEOUT_MS, this.visitor.call(method, path, body));
        if (response.status < 500 && response.status !== 429) return response;
        increment(this.failures, `http ${response.status}`);
      } catch {
        increment(this.failures, 'http');
      }
      await sleep(HTTP_RETRY_AFTER_MS);
    }
    return undefined;
  }

  /** Uploads an image, with retries. @returns its URL; undefined when it is refused or the user is stopping */
  async upload(image: Buffer): Promise<string | undefined> {
    const form = new FormData();
    form.set('bucket', 'chat-images');
    form.set('fileName', 'photo.jpg');
    form.set('file', new Blob([new Uint8Array(image)], { type: 'image/jpeg' }), 'photo.jpg');
    const response = await this.call('POST', '/api/upload', form);
    if (response?.status !== 201) return undefined;
    this.countAcknowledged('upload');
    return (response.body as { url?: string }).url;
  }

  /** @returns the HTTP status of an image; undefined when the user is stopping */
  async fetchStatus(url: string): Promise<number | undefined> {
    return (await this.call('GET', url))?.status;
  }

  /**
   * Sends a command until it is acknowledged or refused for good, on further sockets if necessary.
   * @param onAck called with the data of the ack before any later frame is received. `wasRetried`: an earlier attempt
   * may have stored the event.
   * @param isWanted called before each attempt; the command is not sent once it returns false
   */
  async sendCommand<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    onAck: (data: Record<string, unknown>, wasRetried: boolean) => void,
    isWanted: () => boolean = () => true,
  ): Promise<Outcome> {
    let attemptCount = 0;
    while (isWanted()) {
      if (!(await this.connection.waitUntilReady(READY_WAIT_MS))) {
        if (this.isStopping && this.connection.hasGivenUp) return 'given_up';
        continue;
      }
      // The ack of this attempt may arrive during a later one, after the request has timed out.
      const wasRetried = attemptCount > 0;
      const result = await this.attemptCommand(event, data, (ack) => onAck(ack, wasRetried));
      if (typeof result === 'string') return result;
      attemptCount += 1;
      await sleep(result.retryAfterMs);
    }
    return 'refused';
  }

  /**
   * Sends a command of the current chat and records its ack.
   * @param createFingerprint returns the fingerprint, which identifies the content of the event that the ack refers to;
   * undefined if the ack must not be recorded
   */
  async sendChatCommand<E extends ClientEvent>(
    event: E,
    data: ClientInput<E> & { sessionId: string },
    createFingerprint: (ack: Record<string, unknown>) => Fingerprint | undefined,
  ): Promise<Outcome> {
    const { sessionId } = data;
    const outcome = await this.sendCommand(
      event,
      data,
      (ack, wasRetried) => {
        const fingerprint = createFingerprint(ack);
        if (fingerprint !== undefined)
          this.recorder.acknowledge(sessionId, Number(ack.seq), fingerprint, wasRetried);
      },
      () => this.isInChat(sessionId),
    );
    if (outcome === 'chat_over') await this.waitForEnd(sessionId);
    return outcome;
  }

  countAcknowledged(event: string): void {
    increment(this.acknowledged, event);
  }

  /** Sends a command once, and counts its result. A command without an ack may have been stored all the same. */
  private async attemptCommand<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    onAck: (data: Record<string, unknown>) => void,
  ): Promise<Outcome | Retry> {
    const response = await this.connection.request(event, data, (frame) => {
      if (frame.event === 'ack') onAck(frame.data);
    });
    if (response === 'closed' || response === 'timeout') {
      increment(this.failures, 'no_answer');
      return { retryAfterMs: RETRY_AFTER_NO_RESPONSE_MS };
    }
    if (response.event === 'ack') {
      this.countAcknowledged(event);
      return 'done';
    }
    const code = String(response.data.code);
    increment(this.failures, code);
    if (CHAT_OVER_CODES.has(code)) return 'chat_over';
    if (!RETRIED_CODES.has(code)) return 'refused';
    const retryAfterMs = Number(response.data.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
    return { retryAfterMs: Math.min(MAX_RETRY_AFTER_MS, retryAfterMs) };
  }

  private isInChat(sessionId: string): boolean {
    return this.recorder.currentChat?.sessionId === sessionId;
  }

  /** After a refusal because the chat is over: reports a problem if the end of the chat does not arrive. */
  private async waitForEnd(sessionId: string): Promise<void> {
    const deadline = Date.now() + END_TIMEOUT_MS;
    while (Date.now() < deadline) {
      if (!this.isInChat(sessionId)) return;
      if (!this.connection.isReady) return; // after the reconnect, the recorder checks that the end arrives
      await sleep(END_POLL_MS);
    }
    this.recorder.reportProblem(`${sessionId}: refused as over, and not notified of its end`);
    this.recorder.markEnded(sessionId);
  }

  private receive(frame: Frame): void {
    this.recorder.receive(frame);
    this.onFrame?.(frame);
  }
}

const increment = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** @throws Error when `work` does not settle within `ms` */
const withTimeout = async <Result>(ms: number, work: Promise<Result>): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};
