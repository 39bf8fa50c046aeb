// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. Ada is served by the first replica, Bob
// by the second, unless a test says otherwise.
import { Client } from 'pg';
import type { PrivateMessage } from '@thaw/contract/private-chat';
import { RateLimiterService } from '../../platform/rate-limit/rate-limiter.service';
import {
  createConnectedFriends,
  createFriends,
  closeAll,
  loadMessages,
  createPrivateMessage,
  requestMessages,
  uploadChatImage,
} from '../../testing/private-chat.fixture';
import { makeFriends } from '../../testing/relationship.fixture';
import { startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawSocket, ThawVisitor } from '../../testing/thaw.client';

jest.setTimeout(90_000);

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack(2);
});
afterAll(() => stack.close());

const getUnreadCounts = async (viewer: ThawVisitor): Promise<unknown> =>
  (await viewer.call('GET', `/api/private-messages/unread-counts/${viewer.user.id}`)).body;

const markAsRead = (reader: ThawVisitor, friend: ThawVisitor) =>
  reader.call('PUT', `/api/private-messages/read/${friend.user.id}/${reader.user.id}`);

/** Sends a private message. @returns its id */
const send = async (
  socket: ThawSocket,
  message: Parameters<typeof createPrivateMessage>[0],
): Promise<number> => {
  const ack = await socket.request('send_private_message', createPrivateMessage(message));
  return Number(ack.id);
};

/** Sends any frame, even an invalid one, and expects an error with this code. */
const expectRefusal = async (socket: ThawSocket, event: string, data: object, code: string) =>
  expect(await socket.ask(event as 'ping', data as never)).toMatchObject({ event: 'error', data: { code } });

describe('a message in a private chat', () => {
  it('is delivered once to every socket of both users except the sending one, even if it is retried', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const adaOtherSocket = await ada.openSocket(stack.origins[1]);
    // The server removes spaces at the beginning and the end of a text.
    const message = createPrivateMessage({ from: ada, to: bob, content: ' hello ', clientId: 'c-1' });
    const ack = await adaSocket.request('send_private_message', message);
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
    for (const socket of [bobSocket, adaOtherSocket]) {
      expect(await socket.next('private_message')).toEqual({ ...stored, clientId: 'c-1' });
    }
    expect(await loadMessages(ada, bob)).toEqual([stored]);
    expect(await loadMessages(bob, ada)).toEqual([stored]);

    const retry = createPrivateMessage({ from: ada, to: bob, content: 'hello', clientId: 'c-1' });
    expect(await adaOtherSocket.request('send_private_message', retry)).toEqual(ack);
    expect(await loadMessages(bob, ada)).toHaveLength(1);
    expect(adaSocket.all('private_message')).toEqual([]);
    expect(bobSocket.all('private_message')).toHaveLength(1);
    await closeAll(adaSocket, bobSocket, adaOtherSocket);
  });

  it('quotes the stored text of the message it replies to, until that message is deleted', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const longText = 'x'.repeat(70); // a quote has at most 60 characters
    const messageId = await send(adaSocket, { from: ada, to: bob, content: longText });
    const forgedQuote = { id: messageId, content: 'forged', senderId: 0, senderName: 'Eve' };
    const replyId = await send(bobSocket, { from: bob, to: ada, content: 'indeed', replyTo: forgedQuote });
    const replyTo = {
      id: messageId,
      content: `${'x'.repeat(60)}...`,
      senderId: ada.user.id,
      senderName: ada.user.username,
    };
    expect(await adaSocket.next('private_message')).toMatchObject({ id: replyId, metadata: { replyTo } });

    const deletion = { messageId, senderId: ada.user.id, receiverId: bob.user.id };
    await adaSocket.request('delete_private_message', deletion);
    const [, storedReply] = await loadMessages(bob, ada);
    expect(storedReply).toMatchObject({ metadata: { replyTo: { ...replyTo, content: '' } } });
    const lateReply = createPrivateMessage({ from: ada, to: bob, content: 'x', replyTo: forgedQuote });
    await expectRefusal(adaSocket, 'send_private_message', lateReply, 'message_not_found');
    await closeAll(adaSocket, bobSocket);
  });

  it('shows an edit to both users', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const messageId = await send(adaSocket, { from: ada, to: bob, content: 'good' });
    const edit = { messageId, newContent: ' better ', senderId: ada.user.id, receiverId: bob.user.id };
    expect(await adaSocket.request('edit_private_message', edit)).toEqual({});
    expect(await bobSocket.next('private_message_edited')).toEqual({ ...edit, newContent: 'better' });
    for (const viewed of [await loadMessages(ada, bob), await loadMessages(bob, ada)]) {
      expect(viewed).toMatchObject([{ isEdited: true, content: 'better' }]);
    }
    await closeAll(adaSocket, bobSocket);
  });

  it('shows reactions to both users, and loses a reaction when its user sends it again', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const messageId = await send(adaSocket, { from: ada, to: bob, content: 'good' });
    const reactionOfBob = { emoji: '🔥', userId: bob.user.id };
    const reactionOfAda = { emoji: '🔥', userId: ada.user.id };
    const reactAsBob = { messageId, ...reactionOfBob, receiverId: ada.user.id };
    expect(await bobSocket.request('react_private_message', reactAsBob)).toEqual({
      reactions: [reactionOfBob],
    });
    expect(await adaSocket.next('private_message_reaction')).toEqual({
      messageId,
      ...reactionOfBob,
      senderId: ada.user.id,
      receiverId: bob.user.id,
      reactions: [reactionOfBob],
    });
    const reactAsAda = { messageId, ...reactionOfAda, receiverId: bob.user.id };
    const bothReactions = [reactionOfBob, reactionOfAda];
    expect(await adaSocket.request('react_private_message', reactAsAda)).toEqual({
      reactions: bothReactions,
    });
    expect(await loadMessages(bob, ada)).toMatchObject([{ reactions: bothReactions }]);
    expect(await adaSocket.request('react_private_message', reactAsAda)).toEqual({
      reactions: [reactionOfBob],
    });
    expect(await loadMessages(bob, ada)).toMatchObject([{ reactions: [reactionOfBob] }]);
    await closeAll(adaSocket, bobSocket);
  });

  it('is deleted for both users, with its reactions, and its texts are deleted from the event log', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const messageId = await send(adaSocket, { from: ada, to: bob, content: 'good' });
    const users = { senderId: ada.user.id, receiverId: bob.user.id };
    const reactionOfBob = { messageId, emoji: '🔥', userId: bob.user.id, receiverId: ada.user.id };
    await bobSocket.request('react_private_message', reactionOfBob);
    const edit = { messageId, newContent: 'better', ...users };
    await adaSocket.request('edit_private_message', edit);

    const deletion = { messageId, ...users };
    expect(await adaSocket.request('delete_private_message', deletion)).toEqual({});
    expect(await adaSocket.request('delete_private_message', deletion)).toEqual({}); // a retry changes nothing
    expect(await bobSocket.next('private_message_deleted')).toEqual(deletion);
    const [deleted] = await loadMessages(bob, ada);
    expect(deleted).toMatchObject({ id: messageId, content: '', isDeleted: true, reactions: [] });
    // Texts are personal data, which the event log keeps in a table of its own.
    const personalData = await stack.database.dataSource.query(
      'SELECT 1 FROM event_private WHERE stream_id = $1',
      [`private-${messageId}`],
    );
    expect(personalData).toEqual([]);
    await expectRefusal(adaSocket, 'edit_private_message', edit, 'message_not_found');
    const reactionOfAda = { messageId, emoji: '🔥', userId: ada.user.id, receiverId: bob.user.id };
    await expectRefusal(adaSocket, 'react_private_message', reactionOfAda, 'message_not_found');
    expect(bobSocket.all('private_message_deleted')).toHaveLength(1);
    await closeAll(adaSocket, bobSocket);
  });

  it('lets the receiver load its image until the message is deleted', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const url = await uploadChatImage(stack.replicas[0]!, ada);
    expect((await bob.call('GET', url)).status).toBe(404);
    const image = createPrivateMessage({ from: ada, to: bob, content: url, messageType: 'image' });
    const { id } = await adaSocket.request('send_private_message', image);
    expect((await bob.call('GET', url)).status).toBe(200);
    const [upload] = await stack.database.dataSource.query<{ unused_since: Date | null }[]>(
      'SELECT unused_since FROM uploads WHERE owner_id = $1',
      [ada.user.id],
    );
    expect(upload).toEqual({ unused_since: null }); // unused uploads are deleted after some time

    const deletion = { messageId: Number(id), senderId: ada.user.id, receiverId: bob.user.id };
    await adaSocket.request('delete_private_message', deletion);
    expect((await bob.call('GET', url)).status).toBe(404);
    // The image was deleted with its only message.
    await expectRefusal(adaSocket, 'send_private_message', image, 'image_not_yours');
    await closeAll(adaSocket, bobSocket);
  });

  it('is sent with a single SQL statement if it has no image', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const query = jest.spyOn(Client.prototype, 'query');
    await send(adaSocket, { from: ada, to: bob, content: 'quick' });
    const statements = query.mock.calls.map((parameters) => {
      const [statement] = parameters as unknown[] as [string | { text: string }];
      return typeof statement === 'string' ? statement : statement.text;
    });
    query.mockRestore();
    // A periodic check of the logins of open sockets may query `sessions` at the same time.
    expect(statements.filter((text) => !text.includes('sessions'))).toHaveLength(1);
    await closeAll(adaSocket, bobSocket);
  });

  it('is refused when its sender exceeds the rate limit', async () => {
    const { ada, bob } = await createFriends(stack);
    const limitedReplica = await stack.addReplica({ LIMITS_PROFILE: 'default' });
    const adaSocket = await ada.openSocket(limitedReplica.origin);
    // Uses up the burst of the default limits, without sending.
    const burst = 20;
    await limitedReplica.app.get(RateLimiterService).require('send_private_message', ada.user.id, burst);
    const oneTooMany = createPrivateMessage({ from: ada, to: bob, content: 'too much' });
    await expectRefusal(adaSocket, 'send_private_message', oneTooMany, 'rate_limited');
    await adaSocket.closeCleanly();
    await limitedReplica.stop();
  });
});

describe('access to a private chat', () => {
  it('is denied to a user who is not a friend or pretends to be another user', async () => {
    const { ada, bob } = await createFriends(stack);
    const adaSocket = await ada.openSocket();
    const eve = await stack.createVisitor(0);
    const eveSocket = await eve.openSocket();
    const refuse = (socket: ThawSocket, from: ThawVisitor, to: ThawVisitor, code: string) =>
      expectRefusal(socket, 'send_private_message', createPrivateMessage({ from, to, content: 'hi' }), code);
    await refuse(eveSocket, eve, bob, 'not_friends');
    await refuse(eveSocket, ada, bob, 'forbidden');
    await refuse(adaSocket, ada, ada, 'not_friends'); // the sender is also the receiver
    await expectRefusal(eveSocket, 'typing', { receiverId: bob.user.id }, 'not_friends');
    await closeAll(adaSocket, eveSocket);
  });

  it('does not cover the messages that a friend exchanges with other friends', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const eve = await stack.createVisitor(0);
    await makeFriends(stack.replicas[0]!, eve, bob);
    const eveSocket = await eve.openSocket();
    const messageId = await send(adaSocket, { from: ada, to: bob, content: 'between us' });

    const expectNotFound = (event: string, data: object) =>
      expectRefusal(eveSocket, event, data, 'message_not_found');
    const reaction = { messageId, receiverId: bob.user.id, emoji: '🔥', userId: eve.user.id };
    await expectNotFound('react_private_message', reaction);
    const deletion = { messageId, receiverId: bob.user.id, senderId: eve.user.id };
    await expectNotFound('edit_private_message', { ...deletion, newContent: 'x' });
    await expectNotFound('delete_private_message', deletion);
    const reply = createPrivateMessage({ from: eve, to: bob, content: 'x', replyTo: { id: messageId } });
    await expectNotFound('send_private_message', reply);
    await closeAll(adaSocket, bobSocket, eveSocket);
  });

  it('lets only the sender edit or delete a message', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const messageId = await send(adaSocket, { from: ada, to: bob, content: 'between us' });
    const deletion = { messageId, senderId: bob.user.id, receiverId: ada.user.id };
    await expectRefusal(bobSocket, 'delete_private_message', deletion, 'not_editable');
    const edit = { ...deletion, newContent: 'x' };
    await expectRefusal(bobSocket, 'edit_private_message', edit, 'not_editable');
    await closeAll(adaSocket, bobSocket);
  });

  it('ends with the friendship and returns, with all messages, when the two are friends again', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const secret = createPrivateMessage({ from: ada, to: bob, content: 'between us' });
    const { id } = await adaSocket.request('send_private_message', secret);

    expect((await bob.call('DELETE', `/api/friends/${bob.user.id}/${ada.user.id}`)).status).toBe(204);
    expect(await requestMessages(ada, bob)).toMatchObject({ status: 403, body: { code: 'not_friends' } });
    expect(await markAsRead(bob, ada)).toMatchObject({ status: 403 });
    expect(await getUnreadCounts(bob)).toEqual({});
    await expectRefusal(adaSocket, 'send_private_message', secret, 'not_friends');
    const deletion = { messageId: Number(id), receiverId: bob.user.id, senderId: ada.user.id };
    await expectRefusal(adaSocket, 'delete_private_message', deletion, 'not_friends');

    await makeFriends(stack.replicas[0]!, ada, bob);
    expect(await loadMessages(ada, bob)).toMatchObject([{ content: 'between us' }]);
    expect(await getUnreadCounts(bob)).toEqual({ [ada.user.id]: 1 });
    await closeAll(adaSocket, bobSocket);
  });
});

describe('a private chat across two replicas', () => {
  it('counts unread messages that are not deleted, and marks them as read on every page of the receiver', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const bobOtherSocket = await bob.openSocket(stack.origins[0]);
    const sendToBob = (content: string) => send(adaSocket, { from: ada, to: bob, content });
    for (const content of ['one', 'two', 'three']) await sendToBob(content);
    expect(await getUnreadCounts(bob)).toEqual({ [ada.user.id]: 3 });
    expect(await getUnreadCounts(ada)).toEqual({});
    expect((await markAsRead(bob, ada)).status).toBe(204);
    for (const socket of [bobSocket, bobOtherSocket]) {
      expect(await socket.next('private_messages_read')).toEqual({ friendId: ada.user.id });
    }
    expect(await getUnreadCounts(bob)).toEqual({});
    expect((await markAsRead(bob, ada)).status).toBe(204); // changes nothing, so nothing is published

    await sendToBob('four');
    const messageId = await sendToBob('five');
    const deletion = { messageId, senderId: ada.user.id, receiverId: bob.user.id };
    await adaSocket.request('delete_private_message', deletion);
    expect(await getUnreadCounts(bob)).toEqual({ [ada.user.id]: 1 });
    expect(bobSocket.all('private_messages_read')).toHaveLength(1);
    await closeAll(adaSocket, bobSocket, bobOtherSocket);
  });

  it('is paged from the newest message backwards', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    const sentIds: number[] = [];
    for (const content of ['0', '1', '2', '3', '4', '5', '6']) {
      sentIds.push(await send(adaSocket, { from: ada, to: bob, content }));
    }
    const loadIds = async (query: string) =>
      ((await requestMessages(bob, ada, query)).body as unknown as PrivateMessage[]).map(({ id }) => id);
    expect(await loadIds('?limit=3')).toEqual(sentIds.slice(4));
    expect(await loadIds(`?limit=3&before=${sentIds[4]}`)).toEqual(sentIds.slice(1, 4));
    // A limit above the maximum page size is not an error.
    expect(await loadIds(`?before=${sentIds[1]}&limit=9999`)).toEqual(sentIds.slice(0, 1));
    for (const query of ['?limit=0', '?limit=x', '?before=-1', '?before=1&before=2']) {
      expect(await requestMessages(bob, ada, query)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      });
    }
    await closeAll(adaSocket, bobSocket);
  });

  it('shows once that a friend is typing when two typing frames directly follow each other', async () => {
    const { ada, bob, adaSocket, bobSocket } = await createConnectedFriends(stack);
    await adaSocket.request('typing', { receiverId: bob.user.id });
    await adaSocket.request('typing', { receiverId: bob.user.id });
    expect(await bobSocket.next('typing')).toEqual({ senderId: ada.user.id, userId: ada.user.id });
    expect(bobSocket.all('typing')).toHaveLength(1);
    await closeAll(adaSocket, bobSocket);
  });
});
