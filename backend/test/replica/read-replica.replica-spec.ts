// Uses real PostgreSQL with a streaming replica, real Redis, and one api process over HTTP and sockets. "Replica" is
// the replica of PostgreSQL, except in the names `addReplica` and `TestReplica`, which stand for the api process.
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { ChatHistoryEntry } from '@thaw/contract/http';
import type { PostgresPair } from '../../../deploy/local/stores/postgres-replica.mjs';
import {
  type ReadConnection,
  readPrimaryPosition,
  ReadReplicaService,
} from '../../src/platform/database/read-replica.service';
import { MetricsRegistry } from '../../src/platform/observability/metrics.registry';
import { type CuttableLink, startCuttableLink } from '../../src/testing/cuttable-link.proxy';
import { downloadExport, openDownload, parseExport, requestExport } from '../../src/testing/exports.fixture';
import { createPrivateMessage, requestMessages } from '../../src/testing/private-chat.fixture';
import { makeFriends, recordPastChat } from '../../src/testing/relationship.fixture';
import { startTestStack, type TestReplica, type TestStack } from '../../src/testing/test-stack.harness';
import type { ThawVisitor } from '../../src/testing/thaw.client';
import { until } from '../../src/testing/until.functions';

/** Maximum lag with which the replica serves reads. */
const MAX_LAG_MS = 5_000;
/** The lag is checked only once a second, and a read that has begun before the check still returns old data. */
const LAG_TOLERANCE_MS = 2_500;
/** Maximum duration of a read while the replica does not respond. */
const MAX_WAIT_MS = 3_000;

/** The lines that the api process logs when it goes to the replica or to the primary. */
const SERVES_LINE = 'Reads are made from the read replica';
const BEHIND_LINE = 'The read replica is too far behind; reads are made from the primary';
const NO_ANSWER_LINE = 'The read replica does not answer; reads are made from the primary';

jest.setTimeout(90_000);

describe('reads', () => {
  let pair: PostgresPair;
  let link: CuttableLink;
  let stack: TestStack;
  let api: TestReplica;
  /** Connection to the replica; undefined before its first use and after a loss. */
  let replicaClient: Client | undefined;
  let logLines: string[];
  let ada: ThawVisitor;
  let bob: ThawVisitor;

  beforeAll(async () => {
    const { startPostgresPair } = await import('../../../deploy/local/stores/postgres-replica.mjs');
    pair = await startPostgresPair();
    process.env.DATABASE_URL = pair.url;
    logLines = [];
    for (const level of ['log', 'warn'] as const)
      jest
        .spyOn(Logger.prototype, level)
        .mockImplementation((...[line]: unknown[]) => void logLines.push(String(line)));
    stack = await startTestStack(0); // the api process is added below, when the address of the replica is known
    const url = new URL(pair.replicaUrl);
    url.pathname = new URL(stack.database.url).pathname;
    // The api process reads from the replica through a link that the test can interrupt.
    link = await startCuttableLink(url.href);
    api = await stack.addReplica({ READ_DATABASE_URL: link.url });
    ada = await stack.createVisitor(0);
    bob = await stack.createVisitor(0);
    await makeFriends(api, ada, bob);
  });
  afterAll(async () => {
    await replicaClient?.end();
    await stack?.close();
    await link?.close();
    await pair?.stop();
  });

  const queryReplicaDirectly = async (statement: string): Promise<void> => {
    if (!replicaClient) {
      replicaClient = new Client({ connectionString: pair.replicaUrl });
      replicaClient.on('error', () => (replicaClient = undefined));
      await replicaClient.connect();
    }
    await replicaClient.query(statement);
  };
  /** Until `resumeReplay`, the replica answers, but shows no new change. */
  const pauseReplay = () => queryReplicaDirectly('SELECT pg_wal_replay_pause()');
  const resumeReplay = () => queryReplicaDirectly('SELECT pg_wal_replay_resume()');
  const readJson = async (visitor: ThawVisitor, path: string): Promise<unknown> => {
    const { status, body } = await visitor.call('GET', path);
    expect(status).toBe(200);
    return body;
  };
  const countChatsOfAda = async (): Promise<number> =>
    ((await readJson(ada, `/api/chat-history/${ada.user.id}`)) as ChatHistoryEntry[]).length;
  /** Loads the contents of Bob's private messages with Ada. */
  const loadContentsAsBob = async (query: string): Promise<string[]> => {
    const { body } = await requestMessages(bob, ada, query);
    return (body as unknown as { content: string }[]).map(({ content }) => content);
  };
  /** Returns the value of a metric; NaN if it is absent. `name` includes the labels, if there are any. */
  const readMetric = async (name: string): Promise<number> => {
    const { body } = await api.app.get(MetricsRegistry).expose();
    const line = body.split('\n').find((metric) => metric.startsWith(`${name} `));
    return line === undefined ? NaN : Number(line.slice(name.length));
  };
  /** Returns how many reads the server has served so far. */
  const countReads = (server: 'primary' | 'replica'): Promise<number> =>
    readMetric(`thaw_replica_reads_total{server="${server}"}`);
  const readReplicaMetrics = async () => ({
    isInUse: await readMetric('thaw_read_replica_in_use'),
    lagS: await readMetric('thaw_read_replica_lag_seconds'),
  });
  const changeNameOfAda = async (username: string): Promise<void> => {
    const path = `/api/user/${ada.user.id}`;
    expect((await ada.call('PUT', path, { username, avatar: null })).status).toBe(200);
  };
  const waitUntilReplicaServes = () =>
    until(async () => {
      const before = await countReads('replica');
      await countChatsOfAda();
      return (await countReads('replica')) > before;
    });
  /** Waits until the replica has replayed everything that the primary has committed. */
  const waitUntilReplicaIsCurrent = () =>
    until(async () => {
      const primary = api.app.get(DataSource).manager;
      const position = await readPrimaryPosition(primary);
      const isReplica = async (connection: ReadConnection) => connection !== primary;
      // The service passes the connection to the replica only if the replica has reached this position.
      return api.app.get(ReadReplicaService).read(isReplica, position);
    });
  /** Removes all log lines and returns those about the replica. */
  const takeReplicaLines = () => logLines.splice(0).filter((line) => line.includes('replica'));
  const waitForReplicaLine = (text: string) => until(() => logLines.some((line) => line.includes(text)));
  const measureReadMs = async (): Promise<number> => {
    const startedAt = performance.now();
    await countChatsOfAda();
    return performance.now() - startedAt;
  };

  it('go to the replica for the chat history, older private messages, public profiles and exports', async () => {
    await waitUntilReplicaServes();
    const socket = await ada.openSocket();
    for (const content of ['one', 'two', 'three'])
      await socket.request('send_private_message', createPrivateMessage({ from: ada, to: bob, content }));
    const { body } = await requestMessages(bob, ada, '?limit=1');
    const [newest] = body as unknown as { id: number }[];
    const reads = [
      () => readJson(ada, `/api/chat-history/${ada.user.id}`),
      () => loadContentsAsBob(`?before=${newest!.id}&limit=1`),
      () => readJson(bob, `/api/user/${ada.user.id}`),
    ];
    for (const read of reads) {
      const before = await countReads('replica');
      await read();
      expect(await countReads('replica')).toBe(before + 1);
    }
    const exportUrl = await requestExport(ada);
    await waitUntilReplicaIsCurrent();
    const before = await countReads('replica');
    const { events } = parseExport(await (await openDownload(ada, exportUrl)).text());
    expect(events.filter(({ type }) => type === 'PrivateMessageSent')).toHaveLength(3);
    expect(await countReads('replica')).toBeGreaterThan(before);
    expect(takeReplicaLines()).toEqual([SERVES_LINE]);
  });

  it("go to a lagging replica, but always show new messages, new edits and the reader's own changes", async () => {
    await waitUntilReplicaServes();
    const chats = await countChatsOfAda();
    const socket = await ada.openSocket();
    const message = createPrivateMessage({ from: ada, to: bob, content: 'first' });
    const { id } = await socket.request('send_private_message', message);
    await pauseReplay();
    await recordPastChat(api, ada, bob);
    // The replica serves the read, without the new chat.
    expect(await countChatsOfAda()).toBe(chats);
    expect(takeReplicaLines()).toEqual([]);

    await changeNameOfAda('Ada Lovelace');
    expect(await readJson(ada, `/api/user/${ada.user.id}`)).toMatchObject({ username: 'Ada Lovelace' });
    // Bob reads the old name from the replica.
    expect(await readJson(bob, `/api/user/${ada.user.id}`)).not.toMatchObject({ username: 'Ada Lovelace' });
    // The newest messages are always read from the primary.
    await socket.request('send_private_message', { ...message, content: 'second' });
    expect((await loadContentsAsBob('?limit=2')).at(-1)).toBe('second');
    // For some seconds after an edit, both users read older messages from the primary as well.
    await socket.request('edit_private_message', {
      messageId: Number(id),
      newContent: 'edited',
      senderId: ada.user.id,
      receiverId: bob.user.id,
    });
    expect(await loadContentsAsBob(`?before=${Number(id) + 1}&limit=1`)).toEqual(['edited']);
    // The export is read from the primary, because the replica has not reached the position of the request.
    const { events } = await downloadExport(ada);
    expect(events.some(({ type }) => type === 'PrivateMessageEdited')).toBe(true);
    await resumeReplay();
  });

  it('go to a lagging replica for at most 5 s, and again once it has caught up', async () => {
    await waitUntilReplicaIsCurrent();
    takeReplicaLines();
    const chats = await countChatsOfAda();
    await pauseReplay();
    const pausedAt = performance.now();
    await recordPastChat(api, ada, bob);
    expect(await countChatsOfAda()).toBe(chats); // from the replica

    await until(countChatsOfAda, (count) => count === chats + 1); // from the primary
    const replicaServedForMs = performance.now() - pausedAt;
    expect(replicaServedForMs).toBeLessThan(MAX_LAG_MS + LAG_TOLERANCE_MS);
    await waitForReplicaLine('replica');
    expect(takeReplicaLines()).toEqual([BEHIND_LINE]);
    const metricsWhileBehind = await readReplicaMetrics();
    expect(metricsWhileBehind.isInUse).toBe(0);
    expect(metricsWhileBehind.lagS).toBeGreaterThan(MAX_LAG_MS / 1_000);

    await resumeReplay();
    await waitUntilReplicaServes();
    expect(takeReplicaLines()).toEqual([SERVES_LINE]);
    const metricsWhileServing = await readReplicaMetrics();
    expect(metricsWhileServing.isInUse).toBe(1);
    expect(metricsWhileServing.lagS).toBeLessThanOrEqual(MAX_LAG_MS / 1_000);
  });

  it('wait for a frozen replica for a bounded time, and after a time-out go to the primary at once', async () => {
    await waitUntilReplicaServes();
    takeReplicaLines();
    link.freeze();
    const durationsMs = await Promise.all(Array.from({ length: 20 }, measureReadMs));
    expect(Math.max(...durationsMs)).toBeLessThan(MAX_WAIT_MS);
    expect(takeReplicaLines()).toEqual([NO_ANSWER_LINE]);
    const before = await countReads('primary');
    for (let read = 0; read < 10; read += 1) await countChatsOfAda();
    expect(await countReads('primary')).toBe(before + 10);
    await link.restore();
    await waitUntilReplicaServes();
    expect(takeReplicaLines()).toEqual([SERVES_LINE]);
  });

  it('wait for a stopped replica for a bounded time, and go to it again after its restart', async () => {
    await waitUntilReplicaServes();
    await pair.stopReplica();
    const chats = await countChatsOfAda();
    await recordPastChat(api, ada, bob);
    const startedAt = performance.now();
    expect(await countChatsOfAda()).toBe(chats + 1);
    expect(performance.now() - startedAt).toBeLessThan(MAX_WAIT_MS);
    await waitForReplicaLine('does not answer');
    // Twenty further reads do not log the failure again.
    const before = await countReads('primary');
    await until(async () => {
      await countChatsOfAda();
      return (await countReads('primary')) >= before + 20;
    });
    expect(takeReplicaLines()).toEqual([NO_ANSWER_LINE]);
    expect(await readReplicaMetrics()).toEqual({ isInUse: 0, lagS: NaN });
    await pair.startReplica();
    await waitUntilReplicaServes();
    expect(await countChatsOfAda()).toBe(chats + 1);
  });
});
