// Real: PostgreSQL behind links that can be cut, Redis, two api replicas over HTTP and sockets.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { PrivateMessage } from '@thaw/contract/private-chat';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { RateLimiterService } from '../../platform/rate-limit/rate-limiter.service';
import { makeFriends } from '../../testing/relationship.fixture';
import { type CuttableLink, startCuttableLink } from '../../testing/cuttable-link.proxy';
import { startTestReplicas, type TestReplicas } from '../../testing/test-replicas.harness';
import { type ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { UploadsService } from '../uploads/application/uploads.service';
import { plainJpeg } from '../../testing/image-corpus.fixture';

const isLong = process.env.THAW_TEST_LONG === '1';
const MESSAGES_OF_EACH = isLong ? 5_000 : 150;

jest.setTimeout(isLong ? 1_800_000 : 90_000);

interface Pair {
  ada: ThawVisitor;
  bob: ThawVisitor;
}

describe('a private chat across two replicas', () => {
  let thaw: TestReplicas;
  const links: CuttableLink[] = [];

  beforeAll(async () => {
    thaw = await startTestReplicas(0);
    for (let replica = 0; replica < 2; replica += 1) {
      const link = await startCuttableLink(thaw.database.url);
      links.push(link);
      await thaw.add({ DATABASE_URL: link.url });
    }
  });
  afterAll(async () => {
    await thaw.close();
    for (const link of links) await link.close();
  });

  const friends = async (): Promise<Pair> => {
    const [ada, bob] = [await thaw.createVisitor(0), await thaw.createVisitor(1)];
    await makeFriends(thaw.replicas[0]!, ada, bob);
    return { ada, bob };
  };
  const meeting = async (): Promise<Pair & { adaSocket: ThawSocket; bobSocket: ThawSocket }> => {
    const pair = await friends();
    return { ...pair, adaSocket: await pair.ada.openSocket(), bobSocket: await pair.bob.openSocket() };
  };
  const message = (from: ThawVisitor, to: ThawVisitor, content: string, more: object = {}) => ({
    senderId: from.user.id,
    receiverId: to.user.id,
    content,
    messageType: 'text' as const,
    ...more,
  });
  const read = (who: ThawVisitor, friend: ThawVisitor, query = '') =>
    who.call('GET', `/api/private-messages/${who.user.id}/${friend.user.id}${query}`);
  const messagesOf = async (who: ThawVisitor, friend: ThawVisitor): Promise<PrivateMessage[]> =>
    (await read(who, friend)).body as unknown as PrivateMessage[];
  const unreadOf = async (who: ThawVisitor): Promise<unknown> =>
    (await who.call('GET', `/api/private-messages/unread-counts/${who.user.id}`)).body;
  const markRead = (who: ThawVisitor, friend: ThawVisitor) =>
    who.call('PUT', `/api/private-messages/read/${friend.user.id}/${who.user.id}`);
  const leave = (...sockets: ThawSocket[]) => Promise.all(sockets.map((socket) => socket.leave()));

  it('delivers a message to every socket of both users except the sending one', async () => {
    const { ada, bob, adaSocket, bobSocket } = await meeting();
    const adaElsewhere = await ada.openSocket(thaw.origins[1]);
    const ack = await adaSocket.request(
      'send_private_message',
      message(ada, bob, ' hello ', { clientId: 'c-1' }),
    );
    expect(ack).toEqual({ id: expect.any(Number), createdAt: expect.any(String), clientId: 'c-1' });
    const stored = {
      id: ack.id,
      senderId: ada.user.id,
      receiverId: bob.user.id,
      content: 'hello',
      type: 'text',
      createdAt: ack.createdAt,
      isEdited: false,
      isDeleted: false,
      reactions: [],
      metadata: { replyTo: null },
    };
    for (const socket of [bobSocket, adaElsewhere]) {
      expect(await socket.next('private_message')).toEqual({ ...stored, clientId: 'c-1' });
    }
    expect(await messagesOf(ada, bob)).toEqual([stored]);
    expect(await messagesOf(bob, ada)).toEqual([stored]);
    expect(
      await adaElsewhere.request('send_private_message', message(ada, bob, 'hello', { clientId: 'c-1' })),
    ).toEqual(ack);
    expect(await messagesOf(bob, ada)).toHaveLength(1);
    expect(adaSocket.all('private_message')).toEqual([]);
    expect(bobSocket.all('private_message')).toHaveLength(1);
    await leave(adaSocket, bobSocket, adaElsewhere);
  });

  it('quotes stored messages, and edits, reacts and deletes for both users', async () => {
    const { ada, bob, adaSocket, bobSocket } = await meeting();
    const first = await adaSocket.request('send_private_message', message(ada, bob, 'x'.repeat(70)));
    const reply = { replyTo: { id: Number(first.id), content: 'forged', senderId: 0, senderName: 'Eve' } };
    const second = await bobSocket.request('send_private_message', message(bob, ada, 'indeed', reply));
    const replyTo = {
      id: first.id,
      content: `${'x'.repeat(60)}...`,
      senderId: ada.user.id,
      senderName: ada.user.username,
    };
    expect(await adaSocket.next('private_message')).toMatchObject({ id: second.id, metadata: { replyTo } });
    const messageId = Number(first.id);
    const [senderId, receiverId] = [ada.user.id, bob.user.id];
    const edit = { messageId, newContent: ' better ', senderId, receiverId };
    expect(await adaSocket.request('edit_private_message', edit)).toEqual({});
    expect(await bobSocket.next('private_message_edited')).toEqual({ ...edit, newContent: 'better' });

    const react = { messageId, emoji: '🔥', userId: bob.user.id, receiverId: ada.user.id };
    const reactions = [{ emoji: '🔥', userId: bob.user.id }];
    expect(await bobSocket.request('react_private_message', react)).toEqual({ reactions });
    expect(await adaSocket.take('private_message_reaction')).toEqual({
      ...{ messageId, emoji: '🔥', userId: bob.user.id },
      senderId,
      receiverId,
      reactions,
    });
    const both = [...reactions, { emoji: '🔥', userId: ada.user.id }];
    const reactToo = { messageId, emoji: '🔥', userId: ada.user.id, receiverId: bob.user.id };
    expect(await adaSocket.request('react_private_message', reactToo)).toEqual({ reactions: both });
    expect((await messagesOf(bob, ada))[0]).toMatchObject({
      isEdited: true,
      content: 'better',
      reactions: both,
    });
    expect(await adaSocket.request('react_private_message', reactToo)).toEqual({ reactions });
    expect((await messagesOf(bob, ada))[0]).toMatchObject({ reactions });

    const remove = { messageId, senderId, receiverId };
    expect(await adaSocket.request('delete_private_message', remove)).toEqual({});
    expect(await adaSocket.request('delete_private_message', remove)).toEqual({});
    expect(await bobSocket.next('private_message_deleted')).toEqual(remove);
    const [gone, answer] = await messagesOf(bob, ada);
    expect(gone).toMatchObject({ id: messageId, content: '', isDeleted: true, reactions: [] });
    expect(answer).toMatchObject({ metadata: { replyTo: { ...replyTo, content: '' } } });
    const left = await thaw.database.dataSource.query('SELECT 1 FROM event_private WHERE stream_id = $1', [
      `private-${messageId}`,
    ]);
    expect(left).toEqual([]);
    expect(bobSocket.all('private_message_deleted')).toHaveLength(1);
    for (const [event, data] of [
      ['edit_private_message', edit],
      ['react_private_message', reactToo],
    ] as const) {
      expect(await adaSocket.ask(event, data as never)).toMatchObject({
        data: { code: 'message_not_found' },
      });
    }
    expect(await adaSocket.ask('send_private_message', message(ada, bob, 'x', reply))).toMatchObject({
      data: { code: 'message_not_found' },
    });
    await leave(adaSocket, bobSocket);
  });

  it('is open to friends only, and again once they are friends again', async () => {
    const { ada, bob, adaSocket, bobSocket } = await meeting();
    const eve = await thaw.createVisitor(0);
    const eveSocket = await eve.openSocket();
    const { id } = await adaSocket.request('send_private_message', message(ada, bob, 'between us'));
    const messageId = Number(id);
    const refused = async (socket: ThawSocket, event: string, data: object, code: string) =>
      expect(await socket.ask(event as 'ping', data as never)).toMatchObject({
        event: 'error',
        data: { code },
      });
    await refused(eveSocket, 'send_private_message', message(eve, bob, 'hi'), 'not_friends');
    await refused(eveSocket, 'send_private_message', message(ada, bob, 'hi'), 'forbidden');
    await refused(adaSocket, 'send_private_message', message(ada, ada, 'hi'), 'not_friends');
    await refused(eveSocket, 'typing', { receiverId: bob.user.id }, 'not_friends');
    await makeFriends(thaw.replicas[0]!, eve, bob);
    const toBob = { messageId, receiverId: bob.user.id };
    const eveId = eve.user.id;
    await refused(
      eveSocket,
      'react_private_message',
      { ...toBob, emoji: '🔥', userId: eveId },
      'message_not_found',
    );
    await refused(
      eveSocket,
      'edit_private_message',
      { ...toBob, newContent: 'x', senderId: eveId },
      'message_not_found',
    );
    await refused(eveSocket, 'delete_private_message', { ...toBob, senderId: eveId }, 'message_not_found');
    await refused(
      eveSocket,
      'send_private_message',
      message(eve, bob, 'x', { replyTo: { id: messageId } }),
      'message_not_found',
    );
    const bobsWay = { messageId, senderId: bob.user.id, receiverId: ada.user.id };
    await refused(bobSocket, 'delete_private_message', bobsWay, 'not_editable');
    await refused(bobSocket, 'edit_private_message', { ...bobsWay, newContent: 'x' }, 'not_editable');

    expect((await bob.call('DELETE', `/api/friends/${bob.user.id}/${ada.user.id}`)).status).toBe(204);
    expect(await read(ada, bob)).toMatchObject({ status: 403, body: { code: 'not_friends' } });
    expect(await markRead(bob, ada)).toMatchObject({ status: 403 });
    expect(await unreadOf(bob)).toEqual({});
    await refused(adaSocket, 'send_private_message', message(ada, bob, 'still there?'), 'not_friends');
    await refused(adaSocket, 'delete_private_message', { ...toBob, senderId: ada.user.id }, 'not_friends');
    await makeFriends(thaw.replicas[0]!, ada, bob);
    expect(await messagesOf(ada, bob)).toMatchObject([{ content: 'between us' }]);
    expect(await unreadOf(bob)).toEqual({ [ada.user.id]: 1 });
    await leave(adaSocket, bobSocket, eveSocket);
  });

  it('counts unread messages alike on every page', async () => {
    const { ada, bob, adaSocket, bobSocket } = await meeting();
    const bobElsewhere = await bob.openSocket(thaw.origins[0]);
    for (const content of ['one', 'two', 'three']) {
      await adaSocket.request('send_private_message', message(ada, bob, content));
    }
    expect(await unreadOf(bob)).toEqual({ [ada.user.id]: 3 });
    expect(await unreadOf(ada)).toEqual({});
    expect((await markRead(bob, ada)).status).toBe(204);
    for (const socket of [bobSocket, bobElsewhere]) {
      expect(await socket.next('private_messages_read')).toEqual({ friendId: ada.user.id });
    }
    expect(await unreadOf(bob)).toEqual({});
    expect((await markRead(bob, ada)).status).toBe(204);
    await adaSocket.request('send_private_message', message(ada, bob, 'four'));
    const { id } = await adaSocket.request('send_private_message', message(ada, bob, 'five'));
    const remove = { messageId: Number(id), senderId: ada.user.id, receiverId: bob.user.id };
    await adaSocket.request('delete_private_message', remove);
    expect(await unreadOf(bob)).toEqual({ [ada.user.id]: 1 });
    expect(bobSocket.all('private_messages_read')).toHaveLength(1);
    await leave(adaSocket, bobSocket, bobElsewhere);
  });

  it('is paged from the newest message backwards', async () => {
    const { ada, bob, adaSocket } = await meeting();
    const ids: number[] = [];
    for (let number = 0; number < 7; number += 1) {
      ids.push(Number((await adaSocket.request('send_private_message', message(ada, bob, `${number}`))).id));
    }
    const idsOf = async (query: string) =>
      ((await read(bob, ada, query)).body as unknown as PrivateMessage[]).map(({ id }) => id);
    expect(await idsOf('?limit=3')).toEqual(ids.slice(4));
    expect(await idsOf(`?limit=3&before=${ids[4]}`)).toEqual(ids.slice(1, 4));
    expect(await idsOf(`?before=${ids[1]}&limit=9999`)).toEqual(ids.slice(0, 1));
    for (const query of ['?limit=0', '?limit=x', '?before=-1', '?before=1&before=2']) {
      expect(await read(bob, ada, query)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    }
    await adaSocket.leave();
  });

  it('shows that a friend is typing', async () => {
    const { ada, bob, adaSocket, bobSocket } = await meeting();
    await adaSocket.request('typing', { receiverId: bob.user.id });
    await adaSocket.request('typing', { receiverId: bob.user.id });
    expect(await bobSocket.next('typing')).toEqual({ senderId: ada.user.id, userId: ada.user.id });
    expect(bobSocket.all('typing')).toHaveLength(1);
    await leave(adaSocket, bobSocket);
  });

  it('shows an image to the friend until the message is deleted', async () => {
    const { ada, bob, adaSocket } = await meeting();
    const url = await thaw.replicas[0]!.app.get(UploadsService).receive({
      ownerId: ada.user.id,
      bucket: 'chat-images',
      fileName: 'private-chat/x.png',
      bytes: await plainJpeg(),
    });
    expect((await bob.call('GET', url)).status).toBe(404);
    const image = message(ada, bob, url, { messageType: 'image' });
    const { id } = await adaSocket.request('send_private_message', image);
    expect((await bob.call('GET', url)).status).toBe(200);
    const [row] = await thaw.database.dataSource.query<{ unused_since: Date | null }[]>(
      'SELECT unused_since FROM uploads WHERE owner_id = $1',
      [ada.user.id],
    );
    expect(row).toEqual({ unused_since: null });
    const remove = { messageId: Number(id), senderId: ada.user.id, receiverId: bob.user.id };
    await adaSocket.request('delete_private_message', remove);
    expect((await bob.call('GET', url)).status).toBe(404);
    expect(await adaSocket.ask('send_private_message', image)).toMatchObject({
      data: { code: 'image_not_yours' },
    });
    await adaSocket.leave();
  });

  it('sends a text with one statement', async () => {
    const { ada, bob, adaSocket } = await meeting();
    const query = jest.spyOn(Client.prototype, 'query');
    await adaSocket.request('send_private_message', message(ada, bob, 'quick'));
    const statements = query.mock.calls.map((given) => {
      const [first] = given as unknown[] as [string | { text: string }];
      return typeof first === 'string' ? first : first.text;
    });
    query.mockRestore();
    // Sessions of sockets are checked periodically.
    expect(statements.filter((text) => !text.includes('sessions'))).toHaveLength(1);
    await adaSocket.leave();
  });

  it('is limited by the rate limit of the sender', async () => {
    const { ada, bob } = await friends();
    const strict = await thaw.add({ LIMITS_PROFILE: 'default' });
    const adaSocket = await ada.openSocket(strict.origin);
    await strict.app.get(RateLimiterService).require('send_private_message', ada.user.id, 20);
    const answer = await adaSocket.ask('send_private_message', message(ada, bob, 'too much'));
    expect(answer).toMatchObject({ data: { code: 'rate_limited' } });
    await adaSocket.leave();
    await strict.stop();
  });

  it('stores a message once when both replicas receive it many times at once', async () => {
    const { ada, bob, adaSocket, bobSocket } = await meeting();
    const adaElsewhere = await ada.openSocket(thaw.origins[1]);
    const clientId = randomUUID();
    const acks = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        [adaSocket, adaElsewhere][index % 2]!.request(
          'send_private_message',
          message(ada, bob, 'once', { clientId }),
        ),
      ),
    );
    expect(new Set(acks.map(({ id }) => id)).size).toBe(1);
    expect(await messagesOf(bob, ada)).toHaveLength(1);
    await bobSocket.next('private_message');
    await bobSocket.request('typing', { receiverId: ada.user.id });
    expect(bobSocket.all('private_message')).toHaveLength(1);
    const toOther = await thaw.createVisitor(0);
    await makeFriends(thaw.replicas[0]!, ada, toOther);
    const reused = await adaSocket.ask('send_private_message', message(ada, toOther, 'x', { clientId }));
    expect(reused).toMatchObject({ data: { code: 'invalid_payload' } });
    await leave(adaSocket, bobSocket, adaElsewhere);
  });

  it(`keeps every acknowledged message once and in one order while PostgreSQL is cut off (${2 * MESSAGES_OF_EACH} messages)`, async () => {
    const { ada, bob, adaSocket, bobSocket } = await meeting();
    const acked = new Map<string, number>();
    let isOver = false;
    const talk = async (socket: ThawSocket, from: ThawVisitor, to: ThawVisitor, name: string) => {
      for (let number = 0; number < MESSAGES_OF_EACH; number += 1) {
        const content = `${name}.${number}`;
        const clientId = randomUUID();
        for (;;) {
          const answer = await socket.ask('send_private_message', message(from, to, content, { clientId }));
          if (answer.event === 'ack') {
            acked.set(content, Number(answer.data.id));
            break;
          }
          expect(answer.data.code).toBe('unavailable');
          await sleep(20);
        }
      }
    };
    const cutAgainAndAgain = async () => {
      let cuts = 0;
      while (!isOver) {
        const link = links[cuts % 2]!;
        await link.cut();
        await sleep(30);
        await link.restore();
        cuts += 1;
        await sleep(80);
      }
      return cuts;
    };
    const cutting = cutAgainAndAgain();
    await Promise.all([talk(adaSocket, ada, bob, 'ada'), talk(bobSocket, bob, ada, 'bob')]);
    isOver = true;
    expect(await cutting).toBeGreaterThan(2);

    expect(acked.size).toBe(2 * MESSAGES_OF_EACH);
    const rows = await thaw.database.dataSource.query<{ id: string; content: string; created_at: Date }[]>(
      'SELECT id, content, created_at FROM private_messages WHERE sender_id IN ($1, $2) ORDER BY id',
      [ada.user.id, bob.user.id],
    );
    expect(rows.map(({ content }) => content).sort()).toEqual([...acked.keys()].sort());
    for (const { id, content } of rows) expect(acked.get(content)).toBe(Number(id));
    for (const name of ['ada', 'bob']) {
      const own = rows.filter(({ content }) => content.startsWith(name)).map(({ content }) => content);
      expect(own).toEqual(Array.from({ length: MESSAGES_OF_EACH }, (_, number) => `${name}.${number}`));
    }
    const times = rows.map((row) => row.created_at.getTime());
    expect(times).toEqual([...times].sort((one, other) => one - other));
    const newest = rows.slice(-500).map(({ content }) => content);
    await until(async () => (await read(ada, bob)).status === 200);
    for (const [who, friend] of [
      [ada, bob],
      [bob, ada],
    ] as const) {
      expect((await messagesOf(who, friend)).map(({ content }) => content)).toEqual(newest);
    }
    await leave(adaSocket, bobSocket);
  });

  it('never shows a message before an earlier one of the same conversation', async () => {
    const { ada, bob, adaSocket, bobSocket } = await meeting();
    const sends = (socket: ThawSocket, from: ThawVisitor, to: ThawVisitor) =>
      Promise.all(
        Array.from({ length: 30 }, (_, number) =>
          socket.request('send_private_message', message(from, to, `${number}`)),
        ),
      );
    let isOver = false;
    const watching = (async () => {
      let top = 0;
      let seen = 0;
      while (!isOver) {
        const rows = await thaw.database.dataSource.query<{ id: string }[]>(
          'SELECT id FROM private_messages WHERE sender_id IN ($1, $2) ORDER BY id',
          [ada.user.id, bob.user.id],
        );
        const late =
          rows.slice(0, seen).length < seen || rows.filter(({ id }) => Number(id) <= top).length > seen;
        expect(late).toBe(false);
        seen = rows.length;
        top = Number(rows.at(-1)?.id ?? 0);
      }
      return seen;
    })();
    await Promise.all([sends(adaSocket, ada, bob), sends(bobSocket, bob, ada)]);
    isOver = true;
    await watching;
    await leave(adaSocket, bobSocket);
  });

  it('is unchanged by a rebuild of the read model', async () => {
    const rows = () => thaw.database.dataSource.query('SELECT * FROM private_messages ORDER BY id');
    const before = await rows();
    expect(before.length).toBeGreaterThan(50);
    await thaw.database.dataSource.query(`UPDATE private_messages SET content = 'lost', reactions = '[]'`);
    await thaw.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    expect(await rows()).toEqual(before);
  });
});
