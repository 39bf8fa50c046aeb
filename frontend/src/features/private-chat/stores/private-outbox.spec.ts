import { emptyDraft } from '@/chat-ui/draft';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
import { aPrivateMessage, aUser } from '@/testing/factories';
import { aPrivateChatPage, friend, me, storedAt } from '@/testing/private-chat-page';
import { settled } from '@/testing/settled';

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

describe('a message of mine', () => {
  it('is in the outbox until the server says that it is stored', () => {
    const { say, asked, outbox, messages } = aPrivateChatPage();
    expect(say('hello')).toBe(true);
    expect(asked[0]).toMatchObject({
      event: 'send_private_message',
      data: { senderId: me, receiverId: friend, content: 'hello', messageType: 'text', clientId: 'c1' },
    });
    expect(outbox()).toMatchObject([{ clientId: 'c1', state: 'sending' }]);
    asked[0]?.ack({ id: 2, createdAt: storedAt, clientId: 'c1' });
    expect(outbox()).toEqual([]);
    expect(messages()[1]).toMatchObject({ id: 2, content: 'hello', senderId: me, clientId: 'c1' });
  });

  it('names the message that it answers', () => {
    const { chat, asked, messages } = aPrivateChatPage();
    const replyTo = { messageId: '1', content: 'hello', senderId: friend, senderName: 'brave-heron-7' };
    chat.outbox.submit(String(friend), { text: 'hi', attachment: null, replyTo });
    expect(asked[0]?.data.replyTo).toEqual({ id: 1 });
    asked[0]?.ack({ id: 2, createdAt: storedAt });
    const { messageId: _, ...quoted } = replyTo;
    expect(messages()[1]?.metadata.replyTo).toEqual({ id: 1, ...quoted });
  });

  it('is sent again under its clientId when the connection comes back', async () => {
    const { chat, say, asked } = aPrivateChatPage();
    say('one');
    asked[0]?.reject(new SocketRequestError('closed'));
    await settled();
    chat.connected();
    expect(asked[1]?.data).toMatchObject({ clientId: 'c1', content: 'one' });
  });

  it('survives a reload, and is sent when the page is connected', () => {
    aPrivateChatPage().say('hello');
    const { chat, asked } = aPrivateChatPage();
    expect(asked).toEqual([]);
    chat.connected();
    expect(asked[0]?.data).toMatchObject({ clientId: 'c1', content: 'hello' });
  });

  it('goes into the draft when it was too fast and its chat is closed', async () => {
    const { chat, say, asked } = aPrivateChatPage();
    chat.drafts.keep(friend, { ...emptyDraft, text: 'begun' });
    say('again');
    asked[0]?.reject(new SocketRequestError('refused', 'rate_limited', 900));
    await settled();
    expect(chat.drafts.of(friend).text).toBe('again\nbegun');
  });

  it('ends the chat when the two are no friends', async () => {
    const { chat, say, asked, outbox } = aPrivateChatPage();
    const parted: number[] = [];
    chat.onParted((friendId) => parted.push(friendId));
    say('hello');
    asked[0]?.reject(new SocketRequestError('refused', 'not_friends'));
    await settled();
    expect(parted).toEqual([friend]);
    expect(outbox()).toEqual([]);
    expect(chat.conversations.known(me, friend)).toBeUndefined();
  });

  it('goes with the logout, like the drafts and the counts', () => {
    const { chat, say } = aPrivateChatPage();
    say('hello');
    chat.drafts.keep(friend, { ...emptyDraft, text: 'half a sentence' });
    localStorage.setItem('thaw-unread-7', '{"12":4}');
    signOut();
    chat.reset();
    expect(JSON.stringify([{ ...sessionStorage }, { ...localStorage }])).not.toMatch(/hello|half|unread/);
  });

  it('belongs to its user: an ack after the logout changes nothing', () => {
    const { chat, say, asked, outbox } = aPrivateChatPage();
    say('hello');
    signIn(aUser({ id: 8 }));
    chat.reset();
    asked[0]?.ack({ id: 2, createdAt: storedAt });
    expect(outbox()).toEqual([]);
    expect(chat.conversations.known(8, friend)).toBeUndefined();
  });
});

describe('my own message of another tab', () => {
  it('is shown, and is not unread', () => {
    const { receive, messages, unread } = aPrivateChatPage();
    receive('private_message', aPrivateMessage({ id: 2, senderId: me, receiverId: friend }));
    expect(messages()).toHaveLength(2);
    expect(unread()).toEqual({});
  });

  it('takes the place of mine, whichever of frame and ack comes first', () => {
    const { asked, receive, messages, outbox, say } = aPrivateChatPage();
    say('hello');
    const frame = aPrivateMessage({ id: 2, senderId: me, receiverId: friend, clientId: 'c1' });
    receive('private_message', frame);
    expect(outbox()).toEqual([]);
    asked[0]?.ack({ id: 2, createdAt: storedAt });
    receive('private_message', frame);
    expect(messages().map(({ id }) => id)).toEqual([1, 2]);
  });
});
