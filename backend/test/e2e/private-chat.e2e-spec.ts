/**
 * Runs two api processes with their own PostgreSQL and Redis. PostgreSQL is stopped twice while two friends write, once
 * cleanly and once as in a crash. The friends write 2,000 messages, or 10,000 with THAW_TEST_LONG=1.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PrivateMessage } from '@thaw/contract/private-chat';
import type { Stack } from '../../../deploy/local/thaw-stack.mjs';
import {
  matchNewVisitors,
  type ReceivedFrame,
  type ThawSocket,
  type ThawVisitor,
} from '../../src/testing/thaw.client';
import { untilWithin } from '../../src/testing/until.functions';
import { restartPostgres } from '../postmaster';

const MESSAGES_PER_WRITER = process.env.THAW_TEST_LONG === '1' ? 5_000 : 1_000;
const MESSAGE_COUNT = 2 * MESSAGES_PER_WRITER;
const PAGE_SIZE = 100;

jest.setTimeout(20 * 60_000);

let stack: Stack;

beforeAll(async () => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  stack = await startStack({
    replicas: 2,
    workers: 1,
    // Empty addresses make the stack start its own PostgreSQL and Redis. With `load`, the users reach no rate limit.
    env: { DATABASE_URL: '', REDIS_URL: '', LIMITS_PROFILE: 'load', LOG_LEVEL: 'warn' },
  });
});

afterAll(() => stack?.stop());

/** A user who writes to a friend as the page does: sends a message again, with the same client id, until its ack. */
class Writer {
  /** Acknowledged messages: id by content. */
  readonly acked = new Map<string, number>();
  /** Ids of the messages that were pushed to this user. */
  readonly received: number[] = [];
  /** Number of times that any message was sent again. */
  retryCount = 0;
  private socket: ThawSocket | undefined;

  constructor(
    readonly visitor: ThawVisitor,
    private readonly friend: ThawVisitor,
  ) {}

  get id(): number {
    return this.visitor.user.id;
  }

  /** Resolves when the message has been acknowledged. @throws Error if it is refused. */
  async write(content: string): Promise<void> {
    const message = {
      senderId: this.id,
      receiverId: this.friend.user.id,
      messageType: 'text' as const,
      clientId: randomUUID(),
      content,
    };
    for (;;) {
      const socket = await this.waitForConnection();
      const reply = await Promise.race([
        socket.ask('send_private_message', message).catch(() => undefined),
        socket.closed.then(() => undefined),
      ]);
      if (reply?.event === 'ack') {
        this.acked.set(content, Number(reply.data.id));
        return;
      }
      if (reply && reply.data.code !== 'unavailable') throw new Error(`Refused: ${String(reply.data.code)}`);
      this.retryCount += 1;
      await sleep(50); // the page's delay before a retry
    }
  }

  /** Reads the whole conversation as this user sees it, oldest message first. */
  async readConversation(): Promise<PrivateMessage[]> {
    const messages: PrivateMessage[] = [];
    for (;;) {
      const before = messages.length > 0 ? `&before=${messages[0]?.id}` : '';
      const path = `/api/private-messages/${this.id}/${this.friend.user.id}?limit=${PAGE_SIZE}${before}`;
      const { status, body } = await this.visitor.call('GET', path);
      if (status !== 200) throw new Error(`Reading answered ${status}`);
      const page = body as unknown as PrivateMessage[];
      messages.unshift(...page);
      if (page.length < PAGE_SIZE) return messages;
    }
  }

  private async waitForConnection(): Promise<ThawSocket> {
    while (!this.socket || this.socket.webSocket.readyState !== this.socket.webSocket.OPEN) {
      try {
        const socket = await this.visitor.openSocket();
        socket.webSocket.on('message', (raw) => this.receive(raw as Buffer));
        this.socket = socket;
      } catch {
        await sleep(100); // while PostgreSQL is down, logins cannot be checked
      }
    }
    return this.socket;
  }

  private receive(raw: Buffer): void {
    const { event, data } = JSON.parse(raw.toString()) as ReceivedFrame;
    if (event === 'private_message') this.received.push(Number(data.id));
  }
}

/**
 * Creates two users and makes them friends. A friend request requires a common chat. It is accepted by a request in the
 * other direction.
 */
const createFriends = async (): Promise<[Writer, Writer]> => {
  const [first, second] = stack.replicas.map(({ port }) => `http://127.0.0.1:${port}`);
  const { ada, bob } = await matchNewVisitors([first ?? '', second ?? '']);
  for (const [from, to] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    const request = { requesterId: from.user.id, addresseeId: to.user.id };
    const { status } = await from.call('POST', '/api/friends/request', request);
    expect(status).toBeLessThan(300);
    await from.closeSockets(); // those of the random chat: `Writer` opens its own
  }
  return [new Writer(ada, bob), new Writer(bob, ada)];
};

it(`stores ${MESSAGE_COUNT} messages once and in one order while PostgreSQL is restarted twice`, async () => {
  const writers = await createFriends();
  const countAcked = (): number => writers.reduce((sum, { acked }) => sum + acked.size, 0);
  const listContents = (name: string): string[] =>
    Array.from({ length: MESSAGES_PER_WRITER }, (_, number) => `${name}.${number}`);
  const allWritten = Promise.all(
    writers.map(async (writer, index) => {
      for (const content of listContents(`writer ${index}`)) await writer.write(content);
    }),
  );
  const allRestarted = (async () => {
    // SIGINT stops PostgreSQL cleanly, SIGQUIT as in a crash.
    for (const [restartIndex, signal] of (['SIGINT', 'SIGQUIT'] as const).entries()) {
      // After a third and after two thirds of the messages.
      const dueCount = ((restartIndex + 1) * MESSAGE_COUNT) / 3;
      await untilWithin(10 * 60_000, () => countAcked() >= dueCount);
      await restartPostgres(stack.stores.databaseUrl, signal);
    }
  })();
  await Promise.all([allWritten, allRestarted]);

  // The restarts have interrupted at least one message.
  const [firstWriter, secondWriter] = writers;
  expect(firstWriter.retryCount + secondWriter.retryCount).toBeGreaterThan(0);
  const conversation = await firstWriter.readConversation();
  expect(await secondWriter.readConversation()).toEqual(conversation);
  expect(conversation).toHaveLength(MESSAGE_COUNT);
  for (const [index, { id, acked, received }] of writers.entries()) {
    const ownMessages = conversation.filter(({ senderId }) => senderId === id);
    expect(ownMessages.map(({ content }) => content)).toEqual(listContents(`writer ${index}`));
    expect(ownMessages.map((message) => message.id)).toEqual([...acked.values()]);
    // Pushed messages may be lost during a restart, but none is pushed twice.
    expect(new Set(received).size).toBe(received.length);
    expect(received.length).toBeGreaterThan(0);
  }
  for (const [index, { id, createdAt }] of conversation.entries()) {
    const earlier = conversation[index - 1];
    if (!earlier) continue;
    expect(id).toBeGreaterThan(earlier.id);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(Date.parse(earlier.createdAt));
  }
  await Promise.all(writers.map(({ visitor }) => visitor.closeSockets()));
});
