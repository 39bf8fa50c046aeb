// Uses real PostgreSQL behind links that can be cut, real Redis, and two api replicas over HTTP and sockets.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { type CuttableLink, startCuttableLink } from '../../testing/cuttable-link.proxy';
import {
  type ConnectedFriendPair,
  createConnectedFriends,
  type FriendPair,
  closeAll,
  loadMessages,
  createPrivateMessage,
  requestMessages,
} from '../../testing/private-chat.fixture';
import { makeFriends } from '../../testing/relationship.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const MESSAGES_PER_USER = isLongRun ? 5_000 : 150;
/** Maximum number of messages in a response. */
const MESSAGES_PER_PAGE = 500;

/** How long the link of a replica to PostgreSQL stays cut. */
const CUT_MS = 30;
const PAUSE_BETWEEN_CUTS_MS = 80;
/** How long a client waits before it sends a refused message again. */
const RETRY_MS = 20;

jest.setTimeout(isLongRun ? 1_800_000 : 90_000);

describe('private messages on two replicas', () => {
  let stack: TestStack;
  const links: CuttableLink[] = [];

  beforeAll(async () => {
    stack = await startTestStack(0);
    for (let replicaIndex = 0; replicaIndex < 2; replicaIndex += 1) {
      const link = await startCuttableLink(stack.database.url);
      links.push(link);
      await stack.addReplica({ DATABASE_URL: link.url });
    }
  });
  afterAll(async () => {
    await stack.close();
    for (const link of links) await link.close();
  });

  interface MessageRow {
    id: string;
    content: string;
    created_at: Date;
  }
  /** Reads the messages of two friends from PostgreSQL, by id. */
  const readRows = ({ ada, bob }: FriendPair): Promise<MessageRow[]> =>
    stack.database.dataSource.query<MessageRow[]>(
      'SELECT id, content, created_at FROM private_messages WHERE sender_id IN ($1, $2) ORDER BY id',
      [ada.user.id, bob.user.id],
    );

  /** Lets both friends send 30 messages each, all at the same time. */
  const sendConcurrently = async ({ ada, bob, adaSocket, bobSocket }: ConnectedFriendPair): Promise<void> => {
    const sendAll = (socket: ThawSocket, from: ThawVisitor, to: ThawVisitor) =>
      Promise.all(
        Array.from({ length: 30 }, (_, number) =>
          socket.request('send_private_message', createPrivateMessage({ from, to, content: `${number}` })),
        ),
      );
    await Promise.all([sendAll(adaSocket, ada, bob), sendAll(bobSocket, bob, ada)]);
  };

  it('are stored and delivered once when both replicas receive the same message many times', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const adaOtherSocket = await ada.openSocket(stack.origins[1]);
    const message = createPrivateMessage({ from: ada, to: bob, content: 'once', clientId: randomUUID() });
    const sendTenTimes = (socket: ThawSocket) =>
      Promise.all(Array.from({ length: 10 }, () => socket.request('send_private_message', message)));
    const acknowledgements = (await Promise.all([adaSocket, adaOtherSocket].map(sendTenTimes))).flat();
    expect(new Set(acknowledgements.map(({ id }) => id)).size).toBe(1);
    expect(await loadMessages(bob, ada)).toHaveLength(1);
    await bobSocket.next('private_message');
    // Once this frame is answered, every copy of the message would have arrived.
    await bobSocket.request('typing', { receiverId: ada.user.id });
    expect(bobSocket.all('private_message')).toHaveLength(1);
    await closeAll(adaSocket, bobSocket, adaOtherSocket);
  });

  it('are refused when they reuse the client id of a message to another receiver', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const eve = await stack.createVisitor(0);
    await makeFriends(stack.replicas[0]!, ada, eve);
    const clientId = randomUUID();
    const messageToBob = createPrivateMessage({ from: ada, to: bob, content: 'x', clientId });
    await adaSocket.request('send_private_message', messageToBob);
    const messageToEve = createPrivateMessage({ from: ada, to: eve, content: 'x', clientId });
    expect(await adaSocket.ask('send_private_message', messageToEve)).toMatchObject({
      data: { code: 'invalid_payload' },
    });
    await closeAll(adaSocket, bobSocket);
  });

  describe(`while the connections to PostgreSQL are cut repeatedly (${2 * MESSAGES_PER_USER} messages)`, () => {
    let friends: ConnectedFriendPair;
    /** The acknowledged ids of the messages of both friends, by content. */
    let acknowledgedIds: Map<string, number>;
    let rows: MessageRow[];

    /** Sends `<name>.0`, `<name>.1`, …; each is retried until acknowledged. @returns the acknowledged ids. */
    const sendAllWithRetries = async (
      socket: ThawSocket,
      { from, to, name }: { from: ThawVisitor; to: ThawVisitor; name: string },
    ): Promise<Map<string, number>> => {
      const idsByContent = new Map<string, number>();
      for (let number = 0; number < MESSAGES_PER_USER; number += 1) {
        const content = `${name}.${number}`;
        const message = createPrivateMessage({ from, to, content, clientId: randomUUID() });
        let answer = await socket.ask('send_private_message', message);
        while (answer.event !== 'ack') {
          expect(answer.data.code).toBe('unavailable');
          await sleep(RETRY_MS);
          answer = await socket.ask('send_private_message', message);
        }
        idsByContent.set(content, Number(answer.data.id));
      }
      return idsByContent;
    };

    /** Cuts the links of the two replicas in turn until `signal` is aborted. @returns the number of cuts. */
    const cutRepeatedly = async (signal: AbortSignal): Promise<number> => {
      let cuts = 0;
      while (!signal.aborted) {
        const link = links[cuts % links.length]!;
        await link.cut();
        await sleep(CUT_MS);
        await link.restore();
        cuts += 1;
        await sleep(PAUSE_BETWEEN_CUTS_MS);
      }
      return cuts;
    };

    beforeAll(async () => {
      friends = await createConnectedFriends(stack);
      const { ada, bob, adaSocket, bobSocket } = friends;
      const sending = new AbortController();
      const cutting = cutRepeatedly(sending.signal);
      const idsByContent = await Promise.all([
        sendAllWithRetries(adaSocket, { from: ada, to: bob, name: 'ada' }),
        sendAllWithRetries(bobSocket, { from: bob, to: ada, name: 'bob' }),
      ]);
      sending.abort();
      expect(await cutting).toBeGreaterThan(2); // each link was cut, at least one of them several times
      acknowledgedIds = new Map(idsByContent.flatMap((ids) => [...ids]));
      rows = await readRows(friends);
    });
    afterAll(() => closeAll(friends.adaSocket, friends.bobSocket));

    it('are each stored once, under the id that was acknowledged', () => {
      expect(acknowledgedIds.size).toBe(2 * MESSAGES_PER_USER);
      expect(rows.map(({ content }) => content).sort()).toEqual([...acknowledgedIds.keys()].sort());
      for (const { id, content } of rows) expect(acknowledgedIds.get(content)).toBe(Number(id));
    });

    it('are stored in the order in which each friend sent them', () => {
      for (const name of ['ada', 'bob']) {
        const sent = rows.filter(({ content }) => content.startsWith(name)).map(({ content }) => content);
        expect(sent).toEqual(Array.from({ length: MESSAGES_PER_USER }, (_, number) => `${name}.${number}`));
      }
    });

    it('have ids in the order of their times', () => {
      const times = rows.map((row) => row.created_at.getTime());
      expect(times).toEqual([...times].sort((a, b) => a - b));
    });

    it('are returned alike to both friends, the newest ones on the first page', async () => {
      const { ada, bob } = friends;
      const newest = rows.slice(-MESSAGES_PER_PAGE).map(({ content }) => content);
      // A replica whose link was cut last may still have to reconnect.
      await until(async () => (await requestMessages(ada, bob)).status === 200);
      for (const [viewer, friend] of [
        [ada, bob],
        [bob, ada],
      ] as const) {
        expect((await loadMessages(viewer, friend)).map(({ content }) => content)).toEqual(newest);
      }
    });
  });

  it('never become visible before an earlier message of the same conversation', async () => {
    const friends = await createConnectedFriends(stack);
    /** Fails when a message appears before one that was already visible. */
    const watchOrder = async (signal: AbortSignal): Promise<void> => {
      let visibleIds: number[] = [];
      while (!signal.aborted) {
        const ids = (await readRows(friends)).map(({ id }) => Number(id));
        expect(ids.slice(0, visibleIds.length)).toEqual(visibleIds);
        visibleIds = ids;
      }
    };
    const sending = new AbortController();
    const watching = watchOrder(sending.signal);
    await sendConcurrently(friends);
    sending.abort();
    await watching;
    await closeAll(friends.adaSocket, friends.bobSocket);
  });

  it('are unchanged by a rebuild of the read model', async () => {
    const friends = await createConnectedFriends(stack);
    await sendConcurrently(friends);
    await closeAll(friends.adaSocket, friends.bobSocket);
    const readAll = () => stack.database.dataSource.query('SELECT * FROM private_messages ORDER BY id');
    const before = await readAll();
    expect(before.length).toBeGreaterThan(50);
    await stack.database.dataSource.query(`UPDATE private_messages SET content = 'lost', reactions = '[]'`);
    await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    expect(await readAll()).toEqual(before);
  });
});
