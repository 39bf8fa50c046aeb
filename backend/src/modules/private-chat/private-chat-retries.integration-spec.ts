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

let stack: TestStack;
let ada: ThawVisitor;
let bob: ThawVisitor;
/** A socket of Ada on the first replica. */
let adaSocket: ThawSocket;
/** Fields of every frame about a message from Ada to Bob. */
let participants: { senderId: number; receiverId: number };

beforeAll(async () => {
  stack = await startTestStack(2);
});
beforeEach(async () => {
  ({ ada, bob } = await createFriends(stack));
  adaSocket = await ada.openSocket(stack.origins[0]);
  participants = { senderId: ada.user.id, receiverId: bob.user.id };
});
afterEach(() => stack.closeSockets());
afterAll(() => stack.close());

const createMessage = (content: string, messageType: 'text' | 'image' | 'mixed' = 'text') =>
  createPrivateMessage({ from: ada, to: bob, content, messageType });
const sendText = async (content: string): Promise<{ messageId: number }> => {
  const { id } = await adaSocket.request('send_private_message', createMessage(content));
  return { messageId: Number(id) };
};
const uploadAsAda = () => uploadChatImage(stack.replicas[0]!, ada);

describe('a retried frame of a private chat', () => {
  it('adds or removes a reaction once although both replicas receive it twice', async () => {
    const sockets = [adaSocket, await ada.openSocket(stack.origins[1])];
    const { messageId } = await sendText('hello');
    const data = { messageId, emoji: '🔥', userId: ada.user.id, receiverId: bob.user.id };
    /** Sends the frame twice on each socket. Returns the reactions of the message according to each ack. */
    const sendFourTimes = async (ref: string): Promise<unknown[]> => {
      for (const socket of [...sockets, ...sockets]) {
        socket.send({ event: 'react_private_message', data, ref });
      }
      const findAcks = () =>
        sockets.flatMap(({ frames }) => frames.filter((frame) => frame.event === 'ack' && frame.ref === ref));
      await until(() => findAcks().length === 4);
      return findAcks().map((ack) => ack.data.reactions);
    };
    const reactions = [{ emoji: '🔥', userId: ada.user.id }];
    expect(await sendFourTimes('adding')).toEqual([reactions, reactions, reactions, reactions]);
    // With a new `ref`, the frame is not a retry but a second reaction, which removes the first.
    expect(await sendFourTimes('removing')).toEqual([[], [], [], []]);
    const stored = await stack.database.dataSource.query<{ data: object }[]>(
      `SELECT data FROM events WHERE stream_id = $1 AND type LIKE 'PrivateReaction%' ORDER BY stream_position`,
      [`private-${messageId}`],
    );
    expect(stored).toHaveLength(2);
    expect(JSON.stringify(stored)).not.toContain('adding'); // only a fingerprint of the `ref` is stored
  });

  it('gets the same ack again after the message that it quotes was deleted', async () => {
    const quoted = await sendText('to be deleted');
    const reply = {
      ...createMessage(await uploadAsAda(), 'image'),
      replyTo: { id: quoted.messageId },
      clientId: 'a reply',
    };
    const firstAck = await adaSocket.request('send_private_message', reply);
    await adaSocket.request('delete_private_message', { ...quoted, ...participants });
    expect(await adaSocket.request('send_private_message', reply)).toEqual(firstAck);
  });
});

describe('a refused private message', () => {
  it.each<[problem: string, createContent: (image: string) => string, code: string]>([
    [
      'has too many characters',
      (image) => `${'x'.repeat(limits.messageMaxCodePoints + 1)}${image}`,
      'message_too_long',
    ],
    ['has too many images', (image) => `x${image.repeat(limits.imagesPerMessage + 1)}`, 'invalid_payload'],
    ['has no visible text', (image) => `${BRAILLE_BLANK}${image}`, 'invalid_payload'],
  ])('gives the receiver no access to its image when it %s', async (_problem, createContent, code) => {
    const url = await uploadAsAda();
    const image = `\n[IMAGE:${url}]`;
    const refused = await adaSocket.ask('send_private_message', createMessage(createContent(image), 'mixed'));
    expect(refused.data.code).toBe(code);
    expect((await bob.call('GET', url)).status).toBe(404);
    // A valid message does give access to the image.
    await adaSocket.request('send_private_message', createMessage(`x${image}`, 'mixed'));
    expect((await bob.call('GET', url)).status).toBe(200);
  });

  it('gives the receiver no access to its image when it replies to a missing message', async () => {
    const url = await uploadAsAda();
    const { messageId } = await sendText('the only message');
    const reply = { ...createMessage(url, 'image'), replyTo: { id: messageId + 1_000 } };
    const refused = await adaSocket.ask('send_private_message', reply);
    expect(refused.data.code).toBe('message_not_found');
    expect((await bob.call('GET', url)).status).toBe(404);
  });
});

describe('content without a visible character', () => {
  it('is refused in a private message', async () => {
    for (const content of INVISIBLE_TEXTS) {
      const refused = await adaSocket.ask('send_private_message', createMessage(content));
      expect(refused.data.code).toBe('invalid_payload');
    }
  });

  it('is refused in an edit of a private message', async () => {
    const { messageId } = await sendText('hello');
    for (const newContent of INVISIBLE_TEXTS) {
      const edit = { messageId, newContent, ...participants };
      const refused = await adaSocket.ask('edit_private_message', edit);
      expect(refused.data.code).toBe('invalid_payload');
    }
  });
});
