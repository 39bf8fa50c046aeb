import { limits } from '@thaw/contract/limits';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { conversationKey, unreadKey } from '@/features/private-chat/api/private-messages';
import { type Conversation } from '@/features/private-chat/conversation';
import { readOutbox } from '@/features/private-chat/outgoing';
import { createPrivateChat } from '@/features/private-chat/private-chat.store';
import { type UnreadCounts } from '@/features/private-chat/unread';
import { signIn, signOut } from '@/lib/identity';
import { createQueryClient } from '@/lib/query-client';
import { type RequestOptions } from '@/lib/socket/socket-client';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { aPrivateMessage, aUser } from '@/testing/factories';
import { FakeClock } from '@/testing/fake-clock';

interface Asked {
  event: string;
  data: Record<string, unknown>;
  ack: (data: Record<string, unknown>) => void;
  reject: (error: unknown) => void;
}

const me = 7;
const friend = 12;
const text = (content: string) => ({ content, type: 'text', replyTo: null }) as const;
const at = '2026-11-20T12:00:00.000Z';

const aPage = () => {
  const clock = new FakeClock();
  const sent: { event: string; data: unknown }[] = [];
  const asked: Asked[] = [];
  const socket = {
    isOpen: true,
    send: (event: string, data: unknown) => {
      if (socket.isOpen) sent.push({ event, data });
      return socket.isOpen;
    },
    request: (event: string, data: Record<string, unknown>, options?: RequestOptions) =>
      new Promise<Record<string, unknown>>((resolve, reject) =>
        asked.push({
          event,
          data,
          ack: (given) => {
            options?.onAck?.(given);
            resolve(given);
          },
          reject,
        }),
      ),
  };
  let ids = 0;
  const queryClient = createQueryClient();
  const chat = createPrivateChat({ clock, newId: () => `c${(ids += 1)}`, queryClient });
  chat.connect(socket);
  chat.reset();
  queryClient.setQueryData<Conversation>(conversationKey(me, friend), {
    messages: [aPrivateMessage({ id: 1 })],
    hasOlder: false,
  });
  queryClient.setQueryData<UnreadCounts>(unreadKey(me), {});
  const hear = <E extends ServerEvent>(event: E, data: ServerData<E>): void =>
    chat.receive({ event, data } as ServerFrame);
  const messages = () => chat.conversations.known(me, friend)?.messages ?? [];
  return {
    chat,
    clock,
    socket,
    sent,
    asked,
    queryClient,
    hear,
    messages,
    outbox: () => chat.useStore.getState().outbox,
    typing: () => chat.useStore.getState().typing,
    unread: () => queryClient.getQueryData<UnreadCounts>(unreadKey(me)),
  };
};

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

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

describe('saying something', () => {
  it('is sending until the server says that it is stored', () => {
    const { chat, asked, outbox, messages } = aPage();
    expect(chat.say(friend, text('hello'))).toBe('done');
    expect(asked[0]).toMatchObject({
      event: 'send_private_message',
      data: { senderId: me, receiverId: friend, content: 'hello', messageType: 'text', clientId: 'c1' },
    });
    expect(outbox()).toMatchObject([{ clientId: 'c1', delivery: 'sending' }]);
    asked[0]?.ack({ id: 2, createdAt: at, clientId: 'c1' });
    expect(outbox()).toEqual([]);
    expect(messages()[1]).toMatchObject({ id: 2, content: 'hello', senderId: me, clientId: 'c1' });
  });

  it('tells what it answers', () => {
    const { chat, asked, messages } = aPage();
    const replyTo = { id: 1, content: 'hello', senderId: friend, senderName: 'brave-heron-7' };
    chat.say(friend, { ...text('hi'), replyTo });
    expect(asked[0]?.data.replyTo).toEqual({ id: 1 });
    asked[0]?.ack({ id: 2, createdAt: at });
    expect(messages()[1]?.metadata.replyTo).toEqual(replyTo);
  });

  it('is not sent without a connection, and leaves no row', () => {
    const { chat, socket, outbox, asked } = aPage();
    socket.isOpen = false;
    expect(chat.say(friend, text('hello'))).toBe('not_connected');
    expect(outbox()).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('is sent again under its name when the connection comes back, and only then', async () => {
    const { chat, asked, outbox } = aPage();
    chat.say(friend, text('one'));
    chat.say(friend, text('two'));
    chat.connected();
    expect(asked).toHaveLength(2);
    for (const { reject } of asked) reject(new SocketRequestError('closed'));
    await settled();
    expect(outbox().map(({ delivery }) => delivery)).toEqual(['sending', 'sending']);
    chat.connected();
    expect(asked.slice(2).map(({ data }) => data.clientId)).toEqual(['c1', 'c2']);
  });

  it('fails when nobody answers or the server cannot, and Retry sends the same once', async () => {
    const { chat, asked, outbox, messages } = aPage();
    chat.say(friend, text('hello'));
    asked[0]?.reject(new SocketRequestError('timeout'));
    await settled();
    expect(outbox()).toMatchObject([{ delivery: 'failed' }]);
    chat.connected();
    expect(asked).toHaveLength(1);
    expect(chat.retry('c1')).toBe('done');
    chat.retry('c1');
    expect(asked).toHaveLength(2);
    expect(asked[1]?.data.clientId).toBe('c1');
    asked[1]?.ack({ id: 2, createdAt: at });
    expect(messages()).toHaveLength(2);
    expect(outbox()).toEqual([]);
  });

  it('fails when the connection is given up', async () => {
    const { chat, asked, outbox } = aPage();
    chat.say(friend, text('hello'));
    asked[0]?.reject(new SocketRequestError('closed'));
    await settled();
    chat.connectionGivenUp();
    expect(outbox()).toMatchObject([{ delivery: 'failed' }]);
  });

  it('goes back to the composer when it was too fast', async () => {
    const { chat, asked, outbox, clock } = aPage();
    const taken: unknown[] = [];
    const stop = chat.onReturned(({ friendId, content }) => taken.push([friendId, content]) > 0);
    chat.say(friend, text('hello'));
    asked[0]?.reject(new SocketRequestError('refused', 'rate_limited', 900));
    await settled();
    expect(outbox()).toEqual([]);
    expect(taken).toEqual([[friend, 'hello']]);
    expect(chat.useStore.getState().tooFastTo).toBe(friend);
    clock.advance(900);
    expect(chat.useStore.getState().tooFastTo).toBeNull();
    expect(chat.drafts.of(friend)).toBe('');
    // Nobody looks at that chat any more.
    stop();
    chat.drafts.keep(friend, 'begun');
    chat.say(friend, text('again'));
    asked[1]?.reject(new SocketRequestError('refused', 'rate_limited', 900));
    await settled();
    expect(chat.drafts.of(friend)).toBe('again\nbegun');
  });

  it('ends the chat when the two are no friends', async () => {
    const { chat, asked, outbox } = aPage();
    const parted: number[] = [];
    chat.onParted((friendId) => parted.push(friendId));
    chat.say(friend, text('hello'));
    asked[0]?.reject(new SocketRequestError('refused', 'not_friends'));
    await settled();
    expect(parted).toEqual([friend]);
    expect(outbox()).toEqual([]);
    expect(chat.conversations.known(me, friend)).toBeUndefined();
  });
});

describe('what is unsent', () => {
  it('survives a reload, and is sent again under its name when the page is connected', () => {
    aPage().chat.say(friend, text('hello'));
    const { chat, asked, outbox } = aPage();
    expect(outbox()).toMatchObject([{ clientId: 'c1', content: 'hello', delivery: 'sending' }]);
    expect(asked).toEqual([]);
    chat.connected();
    expect(asked[0]?.data).toMatchObject({ clientId: 'c1', content: 'hello' });
    asked[0]?.ack({ id: 2, createdAt: at });
    expect(readOutbox(me)).toEqual([]);
  });

  it('that had failed still waits for Retry after a reload', async () => {
    const before = aPage();
    before.chat.say(friend, text('hello'));
    before.asked[0]?.reject(new SocketRequestError('timeout'));
    await settled();
    const { chat, asked, outbox } = aPage();
    chat.connected();
    expect(asked).toEqual([]);
    expect(outbox()).toMatchObject([{ delivery: 'failed' }]);
  });

  it('goes with the logout, like the drafts and the counts', () => {
    const { chat } = aPage();
    chat.say(friend, text('hello'));
    chat.drafts.keep(friend, 'half a sent');
    localStorage.setItem('thaw-unread-7', '{"12":4}');
    signOut();
    chat.reset();
    expect(JSON.stringify([{ ...sessionStorage }, { ...localStorage }])).not.toMatch(/hello|half|unread/);
  });

  it('is nobody else’s: an ack of the person before changes nothing', () => {
    const { chat, asked, outbox } = aPage();
    chat.say(friend, text('hello'));
    signIn(aUser({ id: 8 }));
    chat.reset();
    asked[0]?.ack({ id: 2, createdAt: at });
    expect(outbox()).toEqual([]);
    expect(chat.conversations.known(8, friend)).toBeUndefined();
  });

  it('is broken in the storage: nothing is taken from there', () => {
    for (const stored of ['{', '[{}]', 'null', '[{"clientId":"c1"}]']) {
      sessionStorage.setItem('thaw-outgoing-7', stored);
      expect(readOutbox(me)).toEqual([]);
    }
  });
});

describe('my own message of another tab', () => {
  it('is shown, and is not unread', () => {
    const { hear, messages, unread } = aPage();
    hear('private_message', aPrivateMessage({ id: 2, senderId: me, receiverId: friend }));
    expect(messages()).toHaveLength(2);
    expect(unread()).toEqual({});
  });

  it('takes the place of mine, whichever of frame and ack comes first', () => {
    const { chat, asked, hear, messages, outbox } = aPage();
    chat.say(friend, text('hello'));
    const frame = aPrivateMessage({ id: 2, senderId: me, receiverId: friend, clientId: 'c1' });
    hear('private_message', frame);
    expect(outbox()).toEqual([]);
    asked[0]?.ack({ id: 2, createdAt: at });
    hear('private_message', frame);
    expect(messages().map(({ id }) => id)).toEqual([1, 2]);
  });
});

describe("a friend's message", () => {
  const arrive = (id: number) => aPrivateMessage({ id, senderId: friend, receiverId: me });

  it('is put in its order, before mine that has a later id', () => {
    const { chat, asked, hear, messages } = aPage();
    chat.say(friend, text('mine'));
    asked[0]?.ack({ id: 3, createdAt: at });
    hear('private_message', arrive(2));
    expect(messages().map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('counts as unread, until any of my pages has read it', () => {
    const { hear, unread } = aPage();
    hear('private_message', arrive(2));
    hear('private_message', arrive(3));
    expect(unread()).toEqual({ [friend]: 2 });
    hear('private_messages_read', { friendId: friend });
    expect(unread()).toEqual({});
  });

  it('ends their typing, which else is shown for six seconds', () => {
    const { hear, typing, clock } = aPage();
    hear('typing', { senderId: friend, userId: friend });
    expect(typing()).toEqual([friend]);
    hear('private_message', arrive(2));
    expect(typing()).toEqual([]);
    hear('typing', { senderId: friend, userId: friend });
    clock.advance(limits.typingShownMs - 1);
    expect(typing()).toEqual([friend]);
    clock.advance(1);
    expect(typing()).toEqual([]);
  });

  it('of a stranger typing in the random chat there is nothing here', () => {
    const { hear, typing } = aPage();
    hear('typing', { sessionId: 's1', userId: friend });
    expect(typing()).toEqual([]);
  });
});

describe('changes of a message', () => {
  it('come by frame, from both', () => {
    const { hear, messages } = aPage();
    const between = { senderId: friend, receiverId: me };
    hear('private_message_edited', { messageId: 1, newContent: 'better', ...between });
    const reactions = [{ emoji: '🔥', userId: me }];
    hear('private_message_reaction', { messageId: 1, emoji: '🔥', userId: me, reactions, ...between });
    expect(messages()[0]).toMatchObject({ content: 'better', isEdited: true, reactions });
    hear('private_message_deleted', { messageId: 1, ...between });
    expect(messages()[0]).toMatchObject({ content: '', isDeleted: true });
  });

  it('an edit is shown once it is stored, and read again when it is refused', async () => {
    const { chat, asked, messages, queryClient } = aPage();
    chat.say(friend, text('helo'));
    asked[0]?.ack({ id: 2, createdAt: at });
    const edited = chat.edit(friend, 2, 'hello');
    expect(asked[1]).toMatchObject({
      event: 'edit_private_message',
      data: { messageId: 2, newContent: 'hello', senderId: me, receiverId: friend },
    });
    expect(messages()[1]?.content).toBe('helo');
    asked[1]?.ack({});
    await expect(edited).resolves.toBe(true);
    expect(messages()[1]).toMatchObject({ content: 'hello', isEdited: true });
    const refused = chat.edit(friend, 2, 'hello!');
    asked[2]?.reject(new SocketRequestError('refused', 'rate_limited', 900));
    await expect(refused).resolves.toBe(false);
    expect(queryClient.getQueryState(conversationKey(me, friend))?.isInvalidated).toBe(true);
  });

  it('a reaction is shown at once, and then what the server says', () => {
    const { chat, asked, messages } = aPage();
    chat.react(friend, 1, '👍');
    expect(messages()[0]?.reactions).toEqual([{ emoji: '👍', userId: me }]);
    expect(asked[0]?.data).toEqual({ messageId: 1, emoji: '👍', userId: me, receiverId: friend });
    const reactions = [
      { emoji: '👍', userId: friend },
      { emoji: '👍', userId: me },
    ];
    asked[0]?.ack({ reactions });
    expect(messages()[0]?.reactions).toEqual(reactions);
  });

  it('an error of a reaction reads the messages again (§7)', async () => {
    const { chat, asked, queryClient } = aPage();
    chat.react(friend, 1, '👍');
    asked[0]?.reject(new SocketRequestError('refused', 'unavailable'));
    await settled();
    expect(queryClient.getQueryState(conversationKey(me, friend))?.isInvalidated).toBe(true);
  });

  it('a deletion leaves the place', () => {
    const { chat, asked, messages } = aPage();
    chat.say(friend, text('oops'));
    asked[0]?.ack({ id: 2, createdAt: at });
    expect(chat.remove(friend, 2)).toBe('done');
    expect(asked[1]).toMatchObject({
      event: 'delete_private_message',
      data: { messageId: 2, senderId: me, receiverId: friend },
    });
    asked[1]?.ack({});
    expect(messages()[1]).toMatchObject({ content: '', isDeleted: true });
  });

  it('nothing is changed without a connection', async () => {
    const { chat, socket, asked, messages } = aPage();
    socket.isOpen = false;
    expect(chat.react(friend, 1, '👍')).toBe('not_connected');
    expect(chat.remove(friend, 1)).toBe('not_connected');
    await expect(chat.edit(friend, 1, 'x')).resolves.toBe(false);
    expect(asked).toEqual([]);
    expect(messages()[0]?.reactions).toEqual([]);
  });
});

describe('typing', () => {
  it('is told at most every two seconds, to each friend', () => {
    const { chat, sent, clock } = aPage();
    chat.typed(friend);
    chat.typed(friend);
    chat.typed(13);
    clock.advance(limits.typingEveryMs);
    chat.typed(friend);
    expect(sent.map(({ data }) => data)).toEqual([
      { receiverId: friend },
      { receiverId: 13 },
      { receiverId: friend },
    ]);
  });
});

describe('the end of a friendship', () => {
  it.each([
    ['by the friend', { removedFriendId: me, removedBy: friend }],
    ['by me', { removedFriendId: friend, removedBy: me }],
  ])('%s leaves nothing of the two here', (_who, data) => {
    const { chat, hear, outbox, unread } = aPage();
    hear('private_message', aPrivateMessage({ id: 2 }));
    chat.say(friend, text('hello'));
    chat.drafts.keep(friend, 'half a sent');
    hear('friendship_removed', data);
    expect(chat.conversations.known(me, friend)).toBeUndefined();
    expect(unread()).toEqual({});
    expect(outbox()).toEqual([]);
    expect(chat.drafts.of(friend)).toBe('');
  });
});

describe('drafts', () => {
  it('are kept for each friend, over a reload', () => {
    const { chat } = aPage();
    chat.drafts.keep(friend, 'to you');
    chat.drafts.keep(13, 'to another');
    chat.drafts.keep(13, '');
    const { drafts } = aPage().chat;
    expect([drafts.of(friend), drafts.of(13)]).toEqual(['to you', '']);
  });
});
