// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets.
import type { MessageType } from '@thaw/contract/scalars';
import type { Friend } from '@thaw/contract/users';
import { ProjectionRebuildService } from '../../platform/event-store/projection-rebuild.service';
import {
  createConnectedFriends,
  createPrivateMessage,
  uploadChatImage,
} from '../../testing/private-chat.fixture';
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
  afterEach(() => stack.closeSockets());
  afterAll(() => stack.close());

  /** Reads the last message with a friend from the viewer's list of friends. */
  const getLastMessage = async (viewer: ThawVisitor, friend: ThawVisitor): Promise<unknown> => {
    const { body } = await viewer.call('GET', `/api/friends/${viewer.user.id}`);
    return (body as unknown as Friend[]).find(({ id }) => id === friend.user.id)?.lastMessage;
  };

  /** Ada and Bob are friends with open sockets, on different replicas. Ada has no messages with Eve, another friend. */
  const createConversation = async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const eve = await stack.createVisitor(0);
    await makeFriends(stack.replicas[0]!, ada, eve);
    const sendFromAda = (content: string, messageType: MessageType = 'text') =>
      adaSocket.request(
        'send_private_message',
        createPrivateMessage({ from: ada, to: bob, content, messageType }),
      );
    /** Checks the newest message of Ada and Bob, and that Ada still has none with Eve. */
    const expectLastMessage = async (expected: unknown): Promise<void> => {
      expect(await getLastMessage(ada, bob)).toEqual(expected);
      expect(await getLastMessage(bob, ada)).toEqual(expected);
      expect(await getLastMessage(ada, eve)).toBeNull();
    };
    return { ada, bob, adaSocket, bobSocket, sendFromAda, expectLastMessage };
  };

  const createLastMessage = (sender: ThawVisitor, preview: string, type: MessageType = 'text') => ({
    senderId: sender.user.id,
    preview,
    type,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });

  it('is the same for both friends, after a message from either of them', async () => {
    const { ada, bob, bobSocket, sendFromAda, expectLastMessage } = await createConversation();
    await expectLastMessage(null);
    await sendFromAda('good evening');
    await expectLastMessage(createLastMessage(ada, 'good evening'));
    const messageOfBob = createPrivateMessage({ from: bob, to: ada, content: 'good evening to you' });
    await bobSocket.request('send_private_message', messageOfBob);
    await expectLastMessage(createLastMessage(bob, 'good evening to you'));
  });

  it('has a preview with the beginning of a long text, and with the new text once it is edited', async () => {
    const { ada, bob, adaSocket, sendFromAda, expectLastMessage } = await createConversation();
    const { id: messageId } = await sendFromAda('🦦'.repeat(100));
    await expectLastMessage(createLastMessage(ada, '🦦'.repeat(PREVIEW_LENGTH)));
    await adaSocket.request('edit_private_message', {
      messageId: Number(messageId),
      newContent: 'an otter',
      senderId: ada.user.id,
      receiverId: bob.user.id,
    });
    await expectLastMessage(createLastMessage(ada, 'an otter'));
  });

  it('has a preview without its image, which is empty for an image without a text', async () => {
    const { ada, sendFromAda, expectLastMessage } = await createConversation();
    const url = await uploadChatImage(stack.replicas[0]!, ada);
    await sendFromAda(`look at this\n[IMAGE:${url}]`, 'mixed');
    await expectLastMessage(createLastMessage(ada, 'look at this', 'mixed'));
    await sendFromAda(url, 'image');
    await expectLastMessage(createLastMessage(ada, '', 'image'));
  });

  it('has no preview and the type text once it is deleted, also after a rebuild of the read models', async () => {
    const { ada, bob, adaSocket, sendFromAda, expectLastMessage } = await createConversation();
    await sendFromAda('good evening');
    const url = await uploadChatImage(stack.replicas[0]!, ada);
    const { id: imageId } = await sendFromAda(url, 'image');
    await adaSocket.request('delete_private_message', {
      messageId: Number(imageId),
      senderId: ada.user.id,
      receiverId: bob.user.id,
    });
    await expectLastMessage(createLastMessage(ada, ''));
    await stack.replicas[0]!.app.get(ProjectionRebuildService).rebuild();
    await expectLastMessage(createLastMessage(ada, ''));
  });

  it('is read with one index scan per friend, regardless of the length of the conversations', async () => {
    // The conversations of user 1 with the users 2 to 61, in which both send messages. In each of them, message n has a
    // higher id than message n - 1, so the last one is the newest. The query does not read friendships, so none are
    // stored.
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
