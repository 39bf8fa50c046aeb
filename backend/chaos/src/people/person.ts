import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientEvent, ClientInput } from '@thaw/contract/client-frames';
import type { Gender } from '@thaw/contract/scalars';
import { ThawVisitor } from '#testing/thaw.client';
import type { Fingerprint } from '../check/fingerprint';
import { Connection } from './connection';
import { Journal } from './journal';
import type { Frame } from './page-socket';

const RETRY_MS = 250;
const HTTP_RETRY_MS = 500;
const HTTP_WITHIN_MS = 12_000;
/** Error codes after which a command is retried. */
const NOT_NOW = new Set(['unavailable', 'rate_limited', 'internal']);
/** Error codes that mean the chat is over and its end frame is in flight. */
const OVER = new Set(['session_ended', 'not_in_session']);
const NOTIFIED_WITHIN_MS = 5_000;

export type Outcome = 'done' | 'over' | 'refused' | 'given_up';

/** A visitor with a page: an account, a connection that reconnects, and a journal of what was received. */
export class Person {
  readonly visitor: ThawVisitor;
  readonly connection: Connection;
  journal!: Journal;
  /** Refused commands by code; `silence` when no answer came. */
  readonly refusals: Record<string, number> = {};
  /** Acknowledged commands by event. */
  readonly acknowledged: Record<string, number> = {};
  state = 'idle';
  isStopping = false;

  constructor(readonly origin: string) {
    this.visitor = new ThawVisitor([origin]);
    this.connection = new Connection(origin, () => this.visitor.cookie, {
      authentication: () => ({ userId: this.id, lastSeen: this.journal.lastSeen() }),
      onSocket: () => this.journal.arriving(),
      onFrame: (frame) => this.receive(frame),
      complain: (what) => this.journal.complain(what),
    });
  }

  get id(): number {
    return this.visitor.user.id;
  }

  /** Joins anonymously; retries until `deadline`. @returns false on a timeout. */
  async join(gender: Gender, deadline = Infinity): Promise<boolean> {
    while (Date.now() < deadline) {
      try {
        await within(HTTP_WITHIN_MS, this.visitor.joinAnonymously(gender));
        this.journal = new Journal(this.id, () => this.connection.authenticateAgain());
        return true;
      } catch {
        this.count(this.refusals, 'http');
        await sleep(HTTP_RETRY_MS);
      }
    }
    return false;
  }

  come(): void {
    this.connection.start();
  }

  leave(): void {
    this.connection.stop();
  }

  /** An idempotent call, retried until the answer is neither 429 nor 5xx. */
  async call(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: unknown } | undefined> {
    while (!this.isStopping) {
      try {
        const answer = await within(HTTP_WITHIN_MS, this.visitor.call(method, path, body));
        if (answer.status < 500 && answer.status !== 429) return answer;
        this.count(this.refusals, `http ${answer.status}`);
      } catch {
        this.count(this.refusals, 'http');
      }
      await sleep(HTTP_RETRY_MS);
    }
    return undefined;
  }

  /** Uploads an image, with retries. @returns its URL; undefined when it is refused. */
  async upload(image: Buffer): Promise<string | undefined> {
    const form = new FormData();
    form.set('bucket', 'chat-images');
    form.set('fileName', 'photo.jpg');
    form.set('file', new Blob([new Uint8Array(image)], { type: 'image/jpeg' }), 'photo.jpg');
    const answer = await this.call('POST', '/api/upload', form);
    if (answer?.status !== 201) return undefined;
    this.count(this.acknowledged, 'upload');
    return (answer.body as { url?: string }).url;
  }

  /** HTTP status of an image; undefined when there was no answer. */
  async statusOf(url: string): Promise<number | undefined> {
    return (await this.call('GET', url))?.status;
  }

  /**
   * Sends a command until it is answered, over as many sockets as it takes.
   * @param onAck called with the ack before any later frame is received, and whether an earlier attempt had no answer.
   * @param isWanted the command is not sent again once this is false.
   */
  async command<E extends ClientEvent>(
    event: E,
    data: ClientInput<E>,
    onAck: (data: Record<string, unknown>, wasRetried: boolean) => void,
    isWanted: () => boolean = () => true,
  ): Promise<Outcome> {
    let wasRetried = false;
    while (isWanted()) {
      if (!(await this.connection.ready(1_000))) {
        if (this.isStopping && this.connection.isGivenUp) return 'given_up';
        continue;
      }
      const retried = wasRetried;
      const answer = await this.connection.ask(event, data, (frame) => {
        if (frame.event === 'ack') onAck(frame.data, retried);
      });
      if (typeof answer === 'string') {
        this.count(this.refusals, 'silence');
        wasRetried = true;
        await sleep(20);
      } else if (answer.event === 'ack') {
        this.count(this.acknowledged, event);
        return 'done';
      } else {
        const code = String(answer.data.code);
        this.count(this.refusals, code);
        if (OVER.has(code)) return 'over';
        if (!NOT_NOW.has(code)) return 'refused';
        // A command that failed with `internal` or `unavailable` may have been stored all the same.
        wasRetried = true;
        await sleep(Math.min(2_000, Number(answer.data.retryAfterMs ?? RETRY_MS)));
      }
    }
    return 'refused';
  }

  /** Sends a command of the current chat and records the seq of its ack. */
  async commandInChat<E extends ClientEvent>(
    event: E,
    data: ClientInput<E> & { sessionId: string },
    fingerprintOf: (ack: Record<string, unknown>) => Fingerprint | undefined,
  ): Promise<Outcome> {
    const { sessionId } = data;
    const isOpen = () => this.journal.current?.sessionId === sessionId;
    const outcome = await this.command(
      event,
      data,
      (ack, wasRetried) => {
        const fingerprint = fingerprintOf(ack);
        if (fingerprint !== undefined)
          this.journal.acknowledge(sessionId, Number(ack.seq), fingerprint, wasRetried);
      },
      isOpen,
    );
    if (outcome === 'over') await this.awaitEnd(sessionId);
    return outcome;
  }

  /** After an answer that the chat is over, the end frame must arrive too. */
  private async awaitEnd(sessionId: string): Promise<void> {
    const isOpen = () => this.journal.current?.sessionId === sessionId;
    for (const deadline = Date.now() + NOTIFIED_WITHIN_MS; Date.now() < deadline; await sleep(50)) {
      if (!isOpen() || !this.connection.isReady) return;
    }
    this.journal.complain(`${sessionId}: refused as over, and not told that it has ended`);
    this.journal.ended(sessionId);
  }

  private receive(frame: Frame): void {
    if (frame.event === 'authenticated') this.state = String(frame.data.state);
    if (frame.event === 'chat_matched') this.state = 'chatting';
    if (frame.event === 'queue_joined') this.state = 'searching';
    this.journal.receive(frame);
    if (frame.event === 'chat_skipped' && !this.journal.current) this.state = 'idle';
    this.onFrame?.(frame);
  }

  /** Called with every frame, for the simulation that drives this user. */
  onFrame: ((frame: Frame) => void) | undefined;

  count(counts: Record<string, number>, name: string): void {
    counts[name] = (counts[name] ?? 0) + 1;
  }

  newId(): string {
    return randomUUID();
  }
}

const within = async <Result>(ms: number, work: Promise<Result>): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
