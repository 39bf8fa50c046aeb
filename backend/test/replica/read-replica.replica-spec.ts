// Uses a real PostgreSQL with a streaming replica, real Redis, and an api replica over HTTP and sockets.
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { ChatHistoryEntry } from '@thaw/contract/http';
import type { PostgresPair } from '../../../deploy/local/stores/postgres-replica.mjs';
import { readPrimaryPosition, ReadReplicaService } from '../../src/platform/database/read-replica.service';
import { MetricsRegistry } from '../../src/platform/observability/metrics.registry';
import { type CuttableLink, startCuttableLink } from '../../src/testing/cuttable-link.proxy';
import { downloadExport, openDownload, parseExport, requestExport } from '../../src/testing/exports.fixture';
import { createPrivateMessage, requestMessages } from '../../src/testing/private-chat.fixture';
import { makeFriends, recordPastChat } from '../../src/testing/relationship.fixture';
import { startTestStack, type TestReplica, type TestStack } from '../../src/testing/test-stack.harness';
import type { ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';

const MAX_LAG_MS = 5_000;
/** A check each second, and a read that was under way. */
const TOLERANCE_MS = 2_500;
const BOUNDED_WAIT_MS = 3_000;

jest.setTimeout(90_000);

describe('reads with a read replica of PostgreSQL', () => {
  let pair: PostgresPair;
  let link: CuttableLink;
  let stack: TestStack;
  let api: TestReplica;
  let standby: Client | undefined;
  let lines: string[];
  let ada: ThawVisitor;
  let bob: ThawVisitor;

  beforeAll(async () => {
    const { startPostgresPair } = await import('../../../deploy/local/stores/postgres-replica.mjs');
    pair = await startPostgresPair();
    process.env.DATABASE_URL = pair.url;
    lines = [];
    for (const level of ['log', 'warn'] as const)
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((...[line]: unknown[]) => void lines.push(String(line)));
    stack = await startTestStack(0);
    const url = new URL(pair.replicaUrl);
    url.pathname = new URL(stack.database.url).pathname;
    link = await startCuttableLink(url.href);
    api = await stack.addReplica({ READ_DATABASE_URL: link.url });
    ada = await stack.createVisitor(0);
    bob = await stack.createVisitor(0);
    await makeFriends(api, ada, bob);
  });
  afterAll(async () => {
    await standby?.end();
    await stack?.close();
    await link?.close();
    await pair?.stop();
  });

  const onStandby = async (statement: string): Promise<void> => {
    if (!standby) {
      standby = new Client({ connectionString: pair.replicaUrl });
      standby.on('error', () => (standby = undefined));
      await standby.connect();
    }
    await standby.query(statement);
  };
  const readJson = async (visitor: ThawVisitor, path: string): Promise<unknown> => {
    const { status, body } = await visitor.call('GET', path);
    expect(status).toBe(200);
    return body;
  };
  const countChats = async (): Promise<number> =>
    ((await readJson(ada, `/api/chat-history/${ada.user.id}`)) as ChatHistoryEntry[]).length;
  const loadContents = async (query = ''): Promise<string[]> => {
    const { body } = await requestMessages(bob, ada, query);
    return (body as unknown as { content: string }[]).map(({ content }) => content);
  };
  /** NaN for a metric that is absent. */
  const readMetric = async (name: string): Promise<number> => {
    const { body } = await api.app.get(MetricsRegistry).expose();
    const line = body.split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? NaN : Number(line.slice(name.length));
  };
  const countReads = (server: 'primary' | 'replica'): Promise<number> =>
    readMetric(`thaw_replica_reads_total{server="${server}"}`);
  const readState = async () => ({
    isInUse: await readMetric('thaw_read_replica_in_use'),
    lagS: await readMetric('thaw_read_replica_lag_seconds'),
  });
  const changeName = async (username: string): Promise<void> => {
    const path = `/api/user/${ada.user.id}`;
    expect((await ada.call('PUT', path, { username, avatar: null })).status).toBe(200);
  };
  const waitUntilReplicaServes = () =>
    until(async () => {
      const before = await countReads('replica');
      await countChats();
      return (await countReads('replica')) > before;
    });
  const waitUntilReplicaHasEverything = () =>
    until(async () => {
      const primary = api.app.get(DataSource).manager;
      const position = await readPrimaryPosition(primary);
      return api.app
        .get(ReadReplicaService)
        .read((connection) => Promise.resolve(connection !== primary), position);
    });
  const takeLines = () => lines.splice(0).filter((line) => line.includes('replica'));

  it('are made from it: chat history, older private messages, public profiles and exports', async () => {
    await waitUntilReplicaServes();
    const socket = await ada.openSocket();
    for (const content of ['one', 'two', 'three'])
      await socket.request('send_private_message', createPrivateMessage({ from: ada, to: bob, content }));
    const newest = (await requestMessages(bob, ada, '?limit=1')).body as unknown as { id: number }[];
    for (const read of [
      () => readJson(ada, `/api/chat-history/${ada.user.id}`),
      () => loadContents(`?before=${newest[0]!.id}&limit=1`),
      () => readJson(bob, `/api/user/${ada.user.id}`),
    ]) {
      const before = await countReads('replica');
      await read();
      expect(await countReads('replica')).toBe(before + 1);
    }
    const address = await requestExport(ada);
    await waitUntilReplicaHasEverything();
    const before = await countReads('replica');
    const { events } = parseExport(await (await openDownload(ada, address)).text());
    expect(events.filter(({ type }) => type === 'PrivateMessageSent')).toHaveLength(3);
    expect(await countReads('replica')).toBeGreaterThan(before);
    expect(takeLines()).toEqual(['Reads are made from the read replica']);
  });

  it('that stands still are made from it for at most 5 s, and never miss what their user has just done', async () => {
    await waitUntilReplicaServes();
    const chats = await countChats();
    const socket = await ada.openSocket();
    const send = createPrivateMessage({ from: ada, to: bob, content: 'first' });
    const { id } = await socket.request('send_private_message', send);
    await waitUntilReplicaServes();
    await onStandby('SELECT pg_wal_replay_pause()');
    const pausedAt = performance.now();
    await recordPastChat(api, ada, bob);
    expect(await countChats()).toBe(chats);
    expect(takeLines()).toEqual([]);

    await changeName('Ada Lovelace');
    expect(await readJson(ada, `/api/user/${ada.user.id}`)).toMatchObject({ username: 'Ada Lovelace' });
    expect(await readJson(bob, `/api/user/${ada.user.id}`)).not.toMatchObject({ username: 'Ada Lovelace' });
    await socket.request('send_private_message', { ...send, content: 'second' });
    expect((await loadContents('?limit=2')).at(-1)).toBe('second');
    await socket.request('edit_private_message', {
      messageId: Number(id),
      newContent: 'edited',
      senderId: ada.user.id,
      receiverId: bob.user.id,
    });
    expect(await loadContents(`?before=${Number(id) + 1}&limit=1`)).toEqual(['edited']);
    const { events } = await downloadExport(ada);
    expect(events.some(({ type }) => type === 'PrivateMessageEdited')).toBe(true);

    await until(countChats, (count) => count === chats + 1);
    const servedForMs = performance.now() - pausedAt;
    expect(servedForMs).toBeLessThan(MAX_LAG_MS + TOLERANCE_MS);
    await until(() => lines.some((line) => line.includes('replica')));
    expect(takeLines()).toEqual(['The read replica is too far behind; reads are made from the primary']);
    const behind = await readState();
    expect(behind.isInUse).toBe(0);
    expect(behind.lagS).toBeGreaterThan(MAX_LAG_MS / 1_000);

    await onStandby('SELECT pg_wal_replay_resume()');
    await waitUntilReplicaServes();
    expect(takeLines()).toEqual(['Reads are made from the read replica']);
    const serving = await readState();
    expect(serving.isInUse).toBe(1);
    expect(serving.lagS).toBeLessThanOrEqual(MAX_LAG_MS / 1_000);
  });

  it('whose network passes nothing wait for it once, for a bounded time', async () => {
    await waitUntilReplicaServes();
    takeLines();
    link.freeze();
    const delays: number[] = [];
    const readTimed = async (): Promise<void> => {
      const startedAt = performance.now();
      await countChats();
      delays.push(performance.now() - startedAt);
    };
    await Promise.all(Array.from({ length: 20 }, readTimed));
    expect(Math.max(...delays)).toBeLessThan(BOUNDED_WAIT_MS);
    expect(takeLines()).toEqual(['The read replica does not answer; reads are made from the primary']);
    const before = await countReads('primary');
    for (let read = 0; read < 10; read += 1) await readTimed();
    expect(await countReads('primary')).toBe(before + 10);
    await link.restore();
    await waitUntilReplicaServes();
    expect(takeLines()).toEqual(['Reads are made from the read replica']);
  });

  it('that is stopped wait for it for a bounded time, and return to it when it is back', async () => {
    await waitUntilReplicaServes();
    await pair.stopReplica();
    const chats = await countChats();
    await recordPastChat(api, ada, bob);
    const startedAt = performance.now();
    expect(await countChats()).toBe(chats + 1);
    expect(performance.now() - startedAt).toBeLessThan(BOUNDED_WAIT_MS);
    await until(() => lines.some((line) => line.includes('does not answer')));
    const before = await countReads('primary');
    await until(async () => {
      await countChats();
      return (await countReads('primary')) >= before + 20;
    });
    expect(takeLines()).toEqual(['The read replica does not answer; reads are made from the primary']);
    expect(await readState()).toEqual({ isInUse: 0, lagS: NaN });
    await pair.startReplica();
    await waitUntilReplicaServes();
    expect(await countChats()).toBe(chats + 1);
  });
});
