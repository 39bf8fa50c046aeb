import { emptyDraft } from '@/chat-ui/composer/draft';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
import { aPrivateMessage, aUser } from '@/testing/factories';
import { openPrivateChatPage, friend, me, storedAt } from '@/testing/private-chat-page';
import { flushPromises } from '@/testing/flush-promises';

// `openPrivateChatPage` creates the stores of a page, without components. The chat with the friend contains one message
// of the friend, with the id 1. The user's messages get the clientIds c1, c2 and so on.

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  localStorage.clear();
  sessionStorage.clear();
  signIn(aUser({ id: me }));
});
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

describe('a private message of the user', () => {
  it('stays in the outbox until the ack', () => {
    const { submitMessage, commands, listOutgoing, listMessages } = openPrivateChatPage();
    expect(submitMessage('hello')).toBe(true);
    expect(commands[0]).toMatchObject({
      event: 'send_private_message',
      data: { senderId: me, receiverId: friend, content: 'hello', messageType: 'text', clientId: 'c1' },
    });
    expect(listOutgoing()).toMatchObject([{ clientId: 'c1', state: 'sending' }]);
    commands[0]?.ack({ id: 2, createdAt: storedAt, clientId: 'c1' });
    expect(listOutgoing()).toEqual([]);
    expect(listMessages()[1]).toMatchObject({ id: 2, content: 'hello', senderId: me, clientId: 'c1' });
  });

  it('is sent with the id of the message that it replies to, and is shown with the whole quote', () => {
    const { chat, commands, listMessages } = openPrivateChatPage();
    const quote = { content: 'hello', senderId: friend, senderName: 'brave-heron-7' };
    chat.outbox.submit(String(friend), {
      text: 'hi',
      attachment: null,
      replyTo: { messageId: '1', ...quote },
    });
    expect(commands[0]?.data.replyTo).toEqual({ id: 1 });
    commands[0]?.ack({ id: 2, createdAt: storedAt });
    expect(listMessages()[1]?.metadata.replyTo).toEqual({ id: 1, ...quote });
  });

  it('is sent again with the same clientId after a reconnect', async () => {
    const { chat, submitMessage, commands } = openPrivateChatPage();
    submitMessage('one');
    commands[0]?.reject(new SocketRequestError('closed'));
    await flushPromises();
    chat.resendInterrupted();
    expect(commands[1]?.data).toMatchObject({ clientId: 'c1', content: 'one' });
  });

  it('survives a reload and is sent once the page is connected', () => {
    openPrivateChatPage().submitMessage('hello');
    // The page after the reload, with the same session storage.
    const { chat, commands } = openPrivateChatPage();
    expect(commands).toEqual([]);
    chat.resendInterrupted();
    expect(commands[0]?.data).toMatchObject({ clientId: 'c1', content: 'hello' });
  });

  it('is added to the draft when it is rate limited and its chat is closed', async () => {
    // Without components there is no composer, as when the chat is closed.
    const { chat, submitMessage, commands } = openPrivateChatPage();
    chat.drafts.set(friend, { ...emptyDraft, text: 'begun' });
    submitMessage('again');
    const retryAfterMs = 900;
    commands[0]?.reject(new SocketRequestError('refused', 'rate_limited', retryAfterMs));
    await flushPromises();
    expect(chat.drafts.get(friend).text).toBe('again\nbegun');
  });

  it('is removed with its chat when the server reports that the users are not friends', async () => {
    const { chat, submitMessage, commands, listOutgoing } = openPrivateChatPage();
    const endedFriendIds: number[] = [];
    chat.onFriendshipEnded((friendId) => endedFriendIds.push(friendId));
    submitMessage('hello');
    commands[0]?.reject(new SocketRequestError('refused', 'not_friends'));
    await flushPromises();
    expect(endedFriendIds).toEqual([friend]);
    expect(listOutgoing()).toEqual([]);
    expect(chat.conversations.getLoaded(me, friend)).toBeUndefined();
  });

  it('is not shown to the next user when its ack arrives after they have signed in', () => {
    const { chat, submitMessage, commands, listOutgoing } = openPrivateChatPage();
    submitMessage('hello');
    signIn(aUser({ id: 8 }));
    chat.switchUser();
    commands[0]?.ack({ id: 2, createdAt: storedAt });
    expect(listOutgoing()).toEqual([]);
    expect(chat.conversations.getLoaded(8, friend)).toBeUndefined();
  });

  it('is shown, but does not count as unread, when another tab has sent it', () => {
    const { receive, listMessages, getUnreadCounts } = openPrivateChatPage();
    receive('private_message', aPrivateMessage({ id: 2, senderId: me, receiverId: friend }));
    expect(listMessages()).toHaveLength(2);
    expect(getUnreadCounts()).toEqual({});
  });

  it('is shown once when its frame arrives both before and after its ack', () => {
    const { commands, receive, listMessages, listOutgoing, submitMessage } = openPrivateChatPage();
    submitMessage('hello');
    const frame = aPrivateMessage({ id: 2, senderId: me, receiverId: friend, clientId: 'c1' });
    receive('private_message', frame);
    expect(listOutgoing()).toEqual([]);
    commands[0]?.ack({ id: 2, createdAt: storedAt });
    receive('private_message', frame);
    expect(listMessages().map(({ id }) => id)).toEqual([1, 2]);
  });
});

it('a logout removes unsent messages, drafts and unread counts from the storage of the browser', () => {
  const { chat, submitMessage } = openPrivateChatPage();
  submitMessage('hello');
  chat.drafts.set(friend, { ...emptyDraft, text: 'half a sentence' });
  localStorage.setItem(`thaw-unread-${me}`, JSON.stringify({ [friend]: 4 }));
  signOut();
  chat.switchUser();
  const stored = JSON.stringify([{ ...sessionStorage }, { ...localStorage }]);
  expect(stored).not.toContain('hello');
  expect(stored).not.toContain('half');
  expect(stored).not.toContain('unread');
});
