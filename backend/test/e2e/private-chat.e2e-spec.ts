/**
 * Runs two api processes with their own PostgreSQL and Redis. PostgreSQL is stopped twice while two friends write, once
 * cleanly and once as in a crash. The long form (THAW_TEST_LONG=1) has 10,000 messages.
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

const MESSAGES_OF_EACH = process.env.THAW_TEST_LONG === '1' ? 5_000 : 1_000;
const PAGE = 100;

jest.setTimeout(20 * 60_000);

let stack: Stack;

beforeAll(async () => {
  const { startStack } = await import('../../../deploy/local/thaw-stack.mjs');
  stack = await startStack({
    replicas: 2,
    workers: 1,
    env: { DATABASE_URL: '', REDIS_URL: '', LIMITS_PROFILE: 'load', LOG_LEVEL: 'warn' },
  });
});

afterAll(() => stack?.stop());

/** Writes to a friend as the page does: a message without an ack is sent again with the same client id. */
class Writer {
  /** Acknowledged messages: id by content. */
  readonly acked = new Map<string, number>();
  /** Ids of the messages that were pushed to this user. */
  readonly received: number[] = [];
  /** How often a message had to be sent again. */
  retries = 0;
  private socket: ThawSocket | undefined;

  constructor(
    readonly visitor: ThawVisitor,
    private readonly friend: ThawVisitor,
  ) {}

  get id(): number {
    return this.visitor.user.id;
  }

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
      this.retries += 1;
      await sleep(50); // the page's delay before a retry
    }
  }

  /** The whole conversation as this user reads it, in order. */
  async readConversation(): Promise<PrivateMessage[]> {
    const read: PrivateMessage[] = [];
    for (;;) {
      const before = read.length > 0 ? `&before=${read[0]?.id}` : '';
      const path = `/api/private-messages/${this.id}/${this.friend.user.id}?limit=${PAGE}${before}`;
      const { status, body } = await this.visitor.call('GET', path);
      if (status !== 200) throw new Error(`Reading answered ${status}`);
      const page = body as unknown as PrivateMessage[];
      read.unshift(...page);
      if (page.length < PAGE) return read;
    }
  }

  private async waitForConnection(): Promise<ThawSocket> {
    while (!this.socket || this.socket.webSocket.readyState !== this.socket.webSocket.OPEN) {
      try {
        const socket = await this.visitor.openSocket();
        socket.webSocket.on('message', (raw) => this.receive(raw as Buffer));
        this.socket = socket;
      } catch {
        await sleep(100); // PostgreSQL is down, so logins cannot be checked
      }
    }
    return this.socket;
  }

  private receive(raw: Buffer): void {
    const { event, data } = JSON.parse(raw.toString()) as ReceivedFrame;
    if (event === 'private_message') this.received.push(Number(data.id));
  }
}

const befriendWriters = async (): Promise<[Writer, Writer]> => {
  const [first, second] = stack.replicas.map(({ port }) => `http://127.0.0.1:${port}`);
  const { ada, bob } = await matchNewVisitors([first ?? '', second ?? '']);
  for (const [from, to] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    const request = { requesterId: from.user.id, addresseeId: to.user.id };
    const { status } = await from.call('POST', '/api/friends/request', request);
    expect(status).toBeLessThan(300);
    await from.closeSockets();
  }
  return [new Writer(ada, bob), new Writer(bob, ada)];
};

it(`keeps ${2 * MESSAGES_OF_EACH} messages once and in one order while PostgreSQL is restarted`, async () => {
  const writers = await befriendWriters();
  const countAcked = (): number => writers.reduce((sum, { acked }) => sum + acked.size, 0);
  const listContents = (name: string): string[] =>
    Array.from({ length: MESSAGES_OF_EACH }, (_, number) => `${name}.${number}`);
  const writing = Promise.all(
    writers.map(async (writer, index) => {
      for (const content of listContents(`writer ${index}`)) await writer.write(content);
    }),
  );
  const restarting = (async () => {
    for (const [restart, signal] of (['SIGINT', 'SIGQUIT'] as const).entries()) {
      const due = ((restart + 1) * 2 * MESSAGES_OF_EACH) / 3;
      await untilWithin(10 * 60_000, () => countAcked() >= due);
      await restartPostgres(stack.stores.databaseUrl, signal);
    }
  })();
  await Promise.all([writing, restarting]);

  expect(Math.max(...writers.map(({ retries }) => retries))).toBeGreaterThan(0);
  const [ada, bob] = writers;
  const read = await ada.readConversation();
  expect(await bob.readConversation()).toEqual(read);
  expect(read).toHaveLength(2 * MESSAGES_OF_EACH);
  for (const [index, { id, acked, received }] of writers.entries()) {
    const own = read.filter(({ senderId }) => senderId === id);
    expect(own.map(({ content }) => content)).toEqual(listContents(`writer ${index}`));
    expect(own.map((message) => message.id)).toEqual([...acked.values()]);
    expect(new Set(received).size).toBe(received.length);
    expect(received.length).toBeGreaterThan(0);
  }
  const positions = read.map(({ id, createdAt }) => [id, Date.parse(createdAt)] as const);
  for (const [index, [id, at]] of positions.entries()) {
    const [earlierId, earlierAt] = positions[index - 1] ?? [0, 0];
    expect(id).toBeGreaterThan(earlierId);
    expect(at).toBeGreaterThanOrEqual(earlierAt);
  }
  await Promise.all(writers.map(({ visitor }) => visitor.closeSockets()));
});
