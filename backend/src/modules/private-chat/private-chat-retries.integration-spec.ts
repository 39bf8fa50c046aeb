// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets.
import { limits } from '@thaw/contract/limits';
import { createFriends, createPrivateMessage, uploadChatImage } from '../../testing/private-chat.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawSocket, ThawVisitor } from '../../testing/thaw.client';
import { until } from '../../testing/until.functions';

jest.setTimeout(60_000);

const BRAILLE_BLANK = '\u2800';
/** Texts without a visible character. */
const INVISIBLE_TEXTS = [
  '\u200b', // zero-width space
  BRAILLE_BLANK,
  '\u3164', // Hangul filler
  '\u202e', // right-to-left override
  '\u200d\ufe0f', // zero-width joiner and variation selector
];

describe('a private message', () => {
  let stack: TestStack;
  let ada: ThawVisitor;
  let bob: ThawVisitor;
  let sockets: ThawSocket[];

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  beforeEach(async () => {
    ({ ada, bob } = await createFriends(stack));
    sockets = await Promise.all(stack.origins.map((origin) => ada.openSocket(origin)));
  });
  afterEach(() => stack.closeSockets());
  afterAll(() => stack.close());

  const createMessage = (content: string, messageType: 'text' | 'image' | 'mixed' = 'text') =>
    createPrivateMessage({ from: ada, to: bob, content, messageType });
  const uploadAsAda = () => uploadChatImage(stack.replicas[0]!, ada);

  it('gets and loses a reaction once although each frame is retried on both replicas', async () => {
    const { id } = await sockets[0]!.request('send_private_message', createMessage('hello'));
    const data = { messageId: Number(id), emoji: '🔥', userId: ada.user.id, receiverId: bob.user.id };
    const reactions = [{ emoji: '🔥', userId: ada.user.id }];
    // A retry repeats the `ref` of the frame. A new `ref` is a second reaction, which removes the first.
    for (const [ref, expected] of [
      ['adding', reactions],
      ['removing', []],
    ] as const) {
      const sendingSockets = [...sockets, ...sockets]; // the frame and three retries
      for (const socket of sendingSockets) {
        socket.send({ event: 'react_private_message', data, ref });
      }
      const findAcks = () =>
        sockets.flatMap(({ frames }) => frames.filter((frame) => frame.event === 'ack' && frame.ref === ref));
      await until(() => findAcks().length === sendingSockets.length);
      for (const ack of findAcks()) expect(ack.data.reactions).toEqual(expected);
    }
    const stored = await stack.database.dataSource.query<{ data: object }[]>(
      `SELECT data FROM events WHERE stream_id = $1 AND type LIKE 'PrivateReaction%' ORDER BY stream_position`,
      [`private-${Number(id)}`],
    );
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toContain('adding'); // only a fingerprint of the `ref` is stored
  });

  it('gives the receiver no access to its image when it is refused', async () => {
    const url = await uploadAsAda();
    // Too many characters, too many images, and no visible text.
    for (const [content, code] of [
      [`${'x'.repeat(limits.messageMaxCodePoints + 1)}\n[IMAGE:${url}]`, 'message_too_long'],
      [`x${`\n[IMAGE:${url}]`.repeat(limits.imagesPerMessage + 1)}`, 'invalid_payload'],
      [`${BRAILLE_BLANK}\n[IMAGE:${url}]`, 'invalid_payload'],
    ] as const) {
      const refused = await sockets[0]!.ask('send_private_message', createMessage(content, 'mixed'));
      expect(refused.data.code).toBe(code);
      expect((await bob.call('GET', url)).status).toBe(404);
    }
    await sockets[0]!.request('send_private_message', createMessage(`x\n[IMAGE:${url}]`, 'mixed'));
    expect((await bob.call('GET', url)).status).toBe(200);
  });

  it('gives the receiver no access to its image when it replies to a missing message', async () => {
    const url = await uploadAsAda();
    const { id } = await sockets[0]!.request('send_private_message', createMessage('the only message'));
    const missingId = Number(id) + 1_000;
    const reply = { ...createMessage(url, 'image'), replyTo: { id: missingId } };
    const refused = await sockets[0]!.ask('send_private_message', reply);
    expect(refused.data.code).toBe('message_not_found');
    expect((await bob.call('GET', url)).status).toBe(404);
  });

  it('gets the same ack again when it is retried after the quoted message was deleted', async () => {
    const quoted = await sockets[0]!.request('send_private_message', createMessage('to be deleted'));
    const messageId = Number(quoted.id);
    const image = createMessage(await uploadAsAda(), 'image');
    const reply = { ...image, replyTo: { id: messageId }, clientId: 'a reply' };
    const firstAck = await sockets[0]!.request('send_private_message', reply);
    const { senderId, receiverId } = reply;
    await sockets[0]!.request('delete_private_message', { messageId, senderId, receiverId });
    expect(await sockets[0]!.request('send_private_message', reply)).toEqual(firstAck);
  });

  it('is refused without visible content, and so is an edit without visible content', async () => {
    const { id } = await sockets[0]!.request('send_private_message', createMessage('hello'));
    for (const content of INVISIBLE_TEXTS) {
      const sent = await sockets[0]!.ask('send_private_message', createMessage(content));
      expect(sent.data.code).toBe('invalid_payload');
      const { senderId, receiverId } = createMessage(content);
      const edit = { messageId: Number(id), newContent: content, senderId, receiverId };
      expect((await sockets[0]!.ask('edit_private_message', edit)).data.code).toBe('invalid_payload');
    }
  });
});
