// Real: PostgreSQL, Redis, two api replicas over HTTP and sockets.
import { plainJpeg } from '../../testing/image-corpus.fixture';
import { makeFriends } from '../../testing/relationship.fixture';
import { startTestReplicas, type TestReplicas } from '../../testing/test-replicas.harness';
import type { ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';
import { UploadsService } from '../uploads/application/uploads.service';

jest.setTimeout(60_000);

describe('a private chat', () => {
  let thaw: TestReplicas;
  let ada: ThawVisitor;
  let bob: ThawVisitor;
  let sockets: ThawSocket[];

  beforeAll(async () => {
    thaw = await startTestReplicas(2);
  });
  beforeEach(async () => {
    [ada, bob] = [await thaw.createVisitor(0), await thaw.createVisitor(1)];
    await makeFriends(thaw.replicas[0]!, ada, bob);
    sockets = await Promise.all(thaw.origins.map((origin) => ada.openSocket(origin)));
  });
  afterEach(() => thaw.closeSockets());
  afterAll(() => thaw.close());

  const message = (content: string, messageType: 'text' | 'image' | 'mixed' = 'text') => ({
    senderId: ada.user.id,
    receiverId: bob.user.id,
    content,
    messageType,
  });
  const upload = async () =>
    thaw.replicas[0]!.app.get(UploadsService).receive({
      ownerId: ada.user.id,
      bucket: 'chat-images',
      fileName: '',
      bytes: await plainJpeg(),
    });

  it('does not undo a reaction when its frame is retried, on either replica', async () => {
    const { id } = await sockets[0]!.request('send_private_message', message('hello'));
    const data = { messageId: Number(id), emoji: '🔥', userId: ada.user.id, receiverId: bob.user.id };
    const reactions = [{ emoji: '🔥', userId: ada.user.id }];
    for (const attempt of ['lost', 'found']) {
      for (const socket of [...sockets, ...sockets]) {
        socket.send({ event: 'react_private_message', data, ref: attempt });
      }
      const acks = () =>
        sockets.flatMap(({ frames }) =>
          frames.filter(({ event, ref }) => event === 'ack' && ref === attempt),
        );
      await until(() => acks().length === 4);
      for (const ack of acks()) expect(ack.data.reactions).toEqual(attempt === 'lost' ? reactions : []);
    }
    const stored = await thaw.database.dataSource.query<{ data: object }[]>(
      `SELECT data FROM events WHERE stream_id = $1 AND type LIKE 'PrivateReaction%' ORDER BY stream_position`,
      [`private-${Number(id)}`],
    );
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toContain('lost');
  });

  it('gives the receiver no access to an image of a refused message', async () => {
    const url = await upload();
    for (const [content, code] of [
      [`${'x'.repeat(2_001)}\n[IMAGE:${url}]`, 'message_too_long'],
      [`x${`\n[IMAGE:${url}]`.repeat(5)}`, 'invalid_payload'],
      [`\u2800\n[IMAGE:${url}]`, 'invalid_payload'],
    ] as const) {
      const refused = await sockets[0]!.ask('send_private_message', message(content, 'mixed'));
      expect(refused.data.code).toBe(code);
      expect((await bob.call('GET', url)).status).toBe(404);
    }
    await sockets[0]!.request('send_private_message', message(`x\n[IMAGE:${url}]`, 'mixed'));
    expect((await bob.call('GET', url)).status).toBe(200);
  });

  it('gives the receiver no access to an image of a reply to a missing message, and recognizes a retry of a sent one', async () => {
    const url = await upload();
    const send = (given: object) =>
      sockets[0]!.ask('send_private_message', { ...message(url, 'image'), ...given });
    const { id } = await sockets[0]!.request('send_private_message', message('to be deleted'));
    const reply = { replyTo: { id: Number(id) }, clientId: 'a reply' };
    const missing = { replyTo: { id: Number(id) + 1_000 } };
    expect((await send(missing)).data.code).toBe('message_not_found');
    expect((await bob.call('GET', url)).status).toBe(404);

    const sent = await send(reply);
    expect((await bob.call('GET', url)).status).toBe(200);
    const { senderId, receiverId } = message('');
    await sockets[0]!.request('delete_private_message', { messageId: Number(id), senderId, receiverId });
    expect((await send(reply)).data).toEqual(sent.data);
  });

  it('rejects messages and edits without visible content', async () => {
    const { id } = await sockets[0]!.request('send_private_message', message('hello'));
    for (const content of ['\u200b', '\u2800', '\u3164', '\u202e', '\u200d\ufe0f']) {
      const sent = await sockets[0]!.ask('send_private_message', message(content));
      expect(sent.data.code).toBe('invalid_payload');
      const { senderId, receiverId } = message(content);
      const edit = { messageId: Number(id), newContent: content, senderId, receiverId };
      expect((await sockets[0]!.ask('edit_private_message', edit)).data.code).toBe('invalid_payload');
    }
  });
});
