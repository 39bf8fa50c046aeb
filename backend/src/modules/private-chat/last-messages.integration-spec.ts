// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets.
import type { MessageType } from '@thaw/contract/scalars';
import type { Friend } from '@thaw/contract/users';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import { createPrivateMessage, uploadChatImage } from '../../testing/private-chat.fixture';
import { makeFriends } from '../../testing/relationship.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawVisitor } from '../../testing/thaw.client';
import { LAST_MESSAGES_SQL, LastMessageService } from './application/last-message.service';

jest.setTimeout(90_000);

/** Maximum length of a preview, in code points. */
const PREVIEW_LENGTH = 80;

interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

/** A node of a query plan and all nodes below it. */
const flattenPlan = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flattenPlan)];

describe('the newest message of each friend in the friends list', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2);
  });
  afterAll(() => stack.close());

  const getLastMessage = async (viewer: ThawVisitor, friend: ThawVisitor): Promise<unknown> => {
    const { body } = await viewer.call('GET', `/api/friends/${viewer.user.id}`);
    return (body as unknown as Friend[]).find(({ id }) => id === friend.user.id)?.lastMessage;
  };

  it('is the same for both friends, changes with sending, editing and deleting, and survives a rebuild', async () => {
    // Ada and Eve use the first replica, Bob the second one.
    const [ada, bob, eve] = [
      await stack.createVisitor(0),
      await stack.createVisitor(1),
      await stack.createVisitor(0),
    ];
    await makeFriends(stack.replicas[0]!, ada, bob);
    await makeFriends(stack.replicas[0]!, ada, eve);
    const [adaSocket, bobSocket] = [await ada.openSocket(), await bob.openSocket()];
    const send = (content: string, messageType: MessageType = 'text') =>
      adaSocket.request(
        'send_private_message',
        createPrivateMessage({ from: ada, to: bob, content, messageType }),
      );
    const lastMessageWith = (preview: string, type: MessageType = 'text', sender = ada) => ({
      senderId: sender.user.id,
      preview,
      type,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    /** Checks the newest message of Ada and Bob, and that Ada still has none with Eve. */
    const expectLastMessage = async (expected: unknown): Promise<void> => {
      expect(await getLastMessage(ada, bob)).toEqual(expected);
      expect(await getLastMessage(bob, ada)).toEqual(expected);
      expect(await getLastMessage(ada, eve)).toBeNull();
    };

    await expectLastMessage(null);
    await send('good evening');
    await expectLastMessage(lastMessageWith('good evening'));
    const messageOfBob = createPrivateMessage({ from: bob, to: ada, content: 'good evening to you' });
    await bobSocket.request('send_private_message', messageOfBob);
    await expectLastMessage(lastMessageWith('good evening to you', 'text', bob));

    const { id: messageId } = await send('🦦'.repeat(100));
    await expectLastMessage(lastMessageWith('🦦'.repeat(PREVIEW_LENGTH)));
    await adaSocket.request('edit_private_message', {
      messageId: Number(messageId),
      newContent: 'an otter',
      senderId: ada.user.id,
      receiverId: bob.user.id,
    });
    await expectLastMessage(lastMessageWith('an otter'));

    const url = await uploadChatImage(stack.replicas[0]!, ada);
    await send(`look at this\n[IMAGE:${url}]`, 'mixed');
    await expectLastMessage(lastMessageWith('look at this', 'mixed'));
    const { id: imageId } = await send(url, 'image');
    await expectLastMessage(lastMessageWith('', 'image'));
    await adaSocket.request('delete_private_message', {
      messageId: Number(imageId),
      senderId: ada.user.id,
      receiverId: bob.user.id,
    });
    // A deleted message has no preview and the type text.
    await expectLastMessage(lastMessageWith(''));

    // A rebuild of the read models from the events changes nothing.
    await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    await expectLastMessage(lastMessageWith(''));
    await Promise.all([adaSocket.closeCleanly(), bobSocket.closeCleanly()]);
  });

  it('is read with one index scan per friend, regardless of the length of the conversations', async () => {
    // The conversations of user 1 with the users 2 to 61, in which both send messages. Message n has a higher id than
    // message n - 1, so the last one is the newest. The query does not read friendships, so none are stored.
    const [userId, friendCount, messagesPerFriend] = [1, 60, 400];
    const { dataSource } = stack.database;
    await dataSource.query(
      `INSERT INTO private_messages (id, sender_id, receiver_id, type, content, created_at)
       SELECT nextval('private_message_ids'), CASE WHEN n % 2 = 0 THEN $1::bigint ELSE friend END,
              CASE WHEN n % 2 = 0 THEN friend ELSE $1::bigint END, 'text', 'message ' || n, now()
       FROM generate_series(1, $3::int) AS n, generate_series(2, $2::int + 1) AS friend`,
      [userId, friendCount, messagesPerFriend],
    );
    await dataSource.query('ANALYZE private_messages');
    const friendIds = Array.from({ length: friendCount }, (_, index) => index + 2);

    const [explained] = await dataSource.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${LAST_MESSAGES_SQL}`,
      [userId, friendIds, PREVIEW_LENGTH],
    );
    const reads = flattenPlan(explained!['QUERY PLAN'][0]!.Plan).filter(
      (node) => node['Relation Name'] === 'private_messages',
    );
    expect(reads).toMatchObject([
      {
        'Node Type': 'Index Scan',
        'Index Name': 'private_messages_conversation_idx',
        'Actual Rows': 1,
        'Actual Loops': friendCount,
      },
    ]);
    const found = await stack.replicas[0]!.app.get(LastMessageService).findLastMessages(userId, friendIds);
    expect(found.size).toBe(friendCount);
    for (const { preview } of found.values()) expect(preview).toBe(`message ${messagesPerFriend}`);
  });
});
