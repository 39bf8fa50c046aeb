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
/** How PostgreSQL is stopped, and after how many messages of both writers. */
const RESTARTS = [
  { signal: 'SIGINT', afterMessages: MESSAGE_COUNT / 3 }, // cleanly
  { signal: 'SIGQUIT', afterMessages: (2 * MESSAGE_COUNT) / 3 }, // as in a crash
] as const;
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
    const clientId = randomUUID();
    while (!(await this.sendOnce(content, clientId))) {
      this.retryCount += 1;
      await sleep(50); // the page's delay before a retry
    }
  }

  /** Reads the whole conversation as this user sees it, oldest message first. */
  async readConversation(): Promise<PrivateMessage[]> {
    const messages: PrivateMessage[] = [];
    for (;;) {
      const [oldest] = messages;
      const before = oldest ? `&before=${oldest.id}` : ''; // the first page has the newest messages
      const path = `/api/private-messages/${this.id}/${this.friend.user.id}?limit=${PAGE_SIZE}${before}`;
      const { status, body } = await this.visitor.call('GET', path);
      if (status !== 200) throw new Error(`Reading answered ${status}`);
      const page = body as unknown as PrivateMessage[];
      messages.unshift(...page);
      if (page.length < PAGE_SIZE) return messages;
    }
  }

  /** @returns whether the message was acknowledged; if not, it has to be sent again. @throws Error if it is refused. */
  private async sendOnce(content: string, clientId: string): Promise<boolean> {
    const socket = await this.waitForConnection();
    const message = {
      senderId: this.id,
      receiverId: this.friend.user.id,
      messageType: 'text' as const,
      clientId,
      content,
    };
    const reply = await Promise.race([
      socket.ask('send_private_message', message).catch(() => undefined), // no answer in time
      socket.closed.then(() => undefined),
    ]);
    if (!reply || reply.data.code === 'unavailable') return false;
    if (reply.event !== 'ack') throw new Error(`Refused: ${String(reply.data.code)}`);
    this.acked.set(content, Number(reply.data.id));
    return true;
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

const requestFriendship = async (from: ThawVisitor, to: ThawVisitor): Promise<void> => {
  const request = { requesterId: from.user.id, addresseeId: to.user.id };
  const { status } = await from.call('POST', '/api/friends/request', request);
  expect(status).toBeLessThan(300);
};

/** Creates two users and makes them friends. Only users who have had a chat with each other may become friends. */
const createFriends = async (): Promise<[Writer, Writer]> => {
  const [first = '', second = ''] = stack.replicas.map(({ port }) => `http://127.0.0.1:${port}`);
  const { ada, bob } = await matchNewVisitors([first, second]);
  await requestFriendship(ada, bob);
  await requestFriendship(bob, ada); // accepts Ada's request
  // Closes the sockets of the random chat: each `Writer` opens its own.
  await Promise.all([ada.closeSockets(), bob.closeSockets()]);
  return [new Writer(ada, bob), new Writer(bob, ada)];
};

/** The messages that the writer with this index writes, in order. */
const listContents = (writerIndex: number): string[] =>
  Array.from({ length: MESSAGES_PER_WRITER }, (_, number) => `writer ${writerIndex}.${number}`);

const writeAll = async (writer: Writer, contents: readonly string[]): Promise<void> => {
  for (const content of contents) await writer.write(content);
};

const restartPostgresWhileWriting = async (writers: readonly Writer[]): Promise<void> => {
  const countAcked = (): number => writers.reduce((sum, { acked }) => sum + acked.size, 0);
  for (const { signal, afterMessages } of RESTARTS) {
    await untilWithin(10 * 60_000, () => countAcked() >= afterMessages);
    await restartPostgres(stack.stores.databaseUrl, signal);
  }
};

const expectStoredOnceAndInOrder = (
  conversation: readonly PrivateMessage[],
  { id, acked }: Writer,
  contents: readonly string[],
): void => {
  const ownMessages = conversation.filter(({ senderId }) => senderId === id);
  expect(ownMessages.map(({ content }) => content)).toEqual(contents);
  expect(ownMessages.map((message) => message.id)).toEqual([...acked.values()]);
};

const expectAscending = (conversation: readonly PrivateMessage[]): void => {
  for (let index = 1; index < conversation.length; index += 1) {
    const [earlier, later] = [conversation[index - 1]!, conversation[index]!];
    expect(later.id).toBeGreaterThan(earlier.id);
    expect(Date.parse(later.createdAt)).toBeGreaterThanOrEqual(Date.parse(earlier.createdAt));
  }
};

/** A restart may lose pushed messages, but none arrives twice. */
const expectPushedAtMostOnce = ({ received }: Writer): void => {
  expect(received.length).toBeGreaterThan(0);
  expect(new Set(received).size).toBe(received.length);
};

it(`stores ${MESSAGE_COUNT} messages once and in one order while PostgreSQL is restarted twice`, async () => {
  const writers = await createFriends();
  await Promise.all([
    ...writers.map((writer, index) => writeAll(writer, listContents(index))),
    restartPostgresWhileWriting(writers),
  ]);

  const [firstWriter, secondWriter] = writers;
  // The restarts have interrupted at least one message.
  expect(firstWriter.retryCount + secondWriter.retryCount).toBeGreaterThan(0);
  const conversation = await firstWriter.readConversation();
  expect(await secondWriter.readConversation()).toEqual(conversation);
  expect(conversation).toHaveLength(MESSAGE_COUNT);
  expectAscending(conversation);
  for (const [index, writer] of writers.entries()) {
    expectStoredOnceAndInOrder(conversation, writer, listContents(index));
    expectPushedAtMostOnce(writer);
  }
  await Promise.all(writers.map(({ visitor }) => visitor.closeSockets()));
});
