import { limits } from '@thaw/contract/limits';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { QueryObserver } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { emptyDraft } from '@/chat-ui/draft';
import { conversationKey, unreadKey } from '@/features/private-chat/api/private-messages';
import { type Conversation } from '@/features/private-chat/conversation';
import { Rows } from '@/features/private-chat/rows';
import { createMessageChanges } from '@/features/private-chat/stores/message-changes';
import { createPrivateChat } from '@/features/private-chat/stores/private-chat.store';
import { type UnreadCounts } from '@/features/private-chat/unread';
import { pageLimits } from '@/lib/page-limits';
import { createQueryClient } from '@/lib/query-client';
import { type RequestOptions } from '@/lib/socket/socket-client';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
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
const text = (words: string) => ({ text: words, attachment: null, replyTo: null });
const to = String(friend);
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
  const newId = (): string => `c${(ids += 1)}`;
  const chat = createPrivateChat({ clock, newId, queryClient });
  const changes = createMessageChanges(chat, { clock, newId });
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
    changes,
    clock,
    socket,
    sent,
    asked,
    queryClient,
    hear,
    messages,
    say: (words: string) => chat.outbox.submit(to, text(words)),
    outbox: () => chat.outbox.useStore.getState().messages,
    shown: () => new Rows().of(messages(), changes.useStore.getState()),
    returned: () => chat.outbox.useStore.getState().returnedEdits,
    notice: () => chat.outbox.useStore.getState().notice?.kind,
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

describe('a message of mine', () => {
  it('is in the outbox until the server says that it is stored', () => {
    const { say, asked, outbox, messages } = aPage();
    expect(say('hello')).toBe(true);
    expect(asked[0]).toMatchObject({
      event: 'send_private_message',
      data: { senderId: me, receiverId: friend, content: 'hello', messageType: 'text', clientId: 'c1' },
    });
    expect(outbox()).toMatchObject([{ clientId: 'c1', state: 'sending' }]);
    asked[0]?.ack({ id: 2, createdAt: at, clientId: 'c1' });
    expect(outbox()).toEqual([]);
    expect(messages()[1]).toMatchObject({ id: 2, content: 'hello', senderId: me, clientId: 'c1' });
  });

  it('names the message that it answers', () => {
    const { chat, asked, messages } = aPage();
    const replyTo = { messageId: '1', content: 'hello', senderId: friend, senderName: 'brave-heron-7' };
    chat.outbox.submit(to, { ...text('hi'), replyTo });
    expect(asked[0]?.data.replyTo).toEqual({ id: 1 });
    asked[0]?.ack({ id: 2, createdAt: at });
    const { messageId: _, ...quoted } = replyTo;
    expect(messages()[1]?.metadata.replyTo).toEqual({ id: 1, ...quoted });
  });

  it('is sent again under its clientId when the connection comes back', async () => {
    const { chat, say, asked } = aPage();
    say('one');
    asked[0]?.reject(new SocketRequestError('closed'));
    await settled();
    chat.connected();
    expect(asked[1]?.data).toMatchObject({ clientId: 'c1', content: 'one' });
  });

  it('survives a reload, and is sent when the page is connected', () => {
    aPage().say('hello');
    const { chat, asked } = aPage();
    expect(asked).toEqual([]);
    chat.connected();
    expect(asked[0]?.data).toMatchObject({ clientId: 'c1', content: 'hello' });
  });

  it('goes into the draft when it was too fast and its chat is closed', async () => {
    const { chat, say, asked } = aPage();
    chat.drafts.keep(friend, { ...emptyDraft, text: 'begun' });
    say('again');
    asked[0]?.reject(new SocketRequestError('refused', 'rate_limited', 900));
    await settled();
    expect(chat.drafts.of(friend).text).toBe('again\nbegun');
  });

  it('ends the chat when the two are no friends', async () => {
    const { chat, say, asked, outbox } = aPage();
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
    const { chat, say } = aPage();
    say('hello');
    chat.drafts.keep(friend, { ...emptyDraft, text: 'half a sentence' });
    localStorage.setItem('thaw-unread-7', '{"12":4}');
    signOut();
    chat.reset();
    expect(JSON.stringify([{ ...sessionStorage }, { ...localStorage }])).not.toMatch(/hello|half|unread/);
  });

  it('belongs to its user: an ack after the logout changes nothing', () => {
    const { chat, say, asked, outbox } = aPage();
    say('hello');
    signIn(aUser({ id: 8 }));
    chat.reset();
    asked[0]?.ack({ id: 2, createdAt: at });
    expect(outbox()).toEqual([]);
    expect(chat.conversations.known(8, friend)).toBeUndefined();
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
    chat.outbox.submit(to, text('hello'));
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
    chat.outbox.submit(to, text('mine'));
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

  it('counts although the first answer of the server, given before it, comes later', async () => {
    const { hear, queryClient, unread } = aPage();
    queryClient.removeQueries({ queryKey: unreadKey(me) });
    const answers: ((counts: UnreadCounts) => void)[] = [];
    const queryFn = () => new Promise<UnreadCounts>((resolve) => answers.push(resolve));
    const observer = new QueryObserver(queryClient, { queryKey: unreadKey(me), queryFn });
    const stop = observer.subscribe(() => undefined);
    hear('private_message', arrive(2));
    answers[0]?.({});
    await waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.({ [friend]: 1 });
    await waitFor(() => expect(unread()).toEqual({ [friend]: 1 }));
    stop();
  });

  it('ends their typing, which else is shown for six seconds', () => {
    const { hear, typing, clock } = aPage();
    hear('typing', { senderId: friend, userId: friend });
    expect(typing()).toEqual([friend]);
    hear('private_message', arrive(2));
    expect(typing()).toEqual([]);
    hear('typing', { senderId: friend, userId: friend });
    clock.advance(pageLimits.typingShownMs - 1);
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

  describe('an edit', () => {
    const withOwn = () => {
      const page = aPage();
      page.hear(
        'private_message',
        aPrivateMessage({ id: 2, senderId: me, receiverId: friend, content: 'helo' }),
      );
      expect(page.changes.edit(friend, 2, 'hello')).toBe(true);
      return { ...page, content: () => page.shown()[1]?.content };
    };

    it('is shown at once, and is stored with its ack', () => {
      const { asked, content, messages, changes } = withOwn();
      expect(asked[0]).toMatchObject({
        event: 'edit_private_message',
        data: { messageId: 2, newContent: 'hello', senderId: me, receiverId: friend },
      });
      expect(content()).toBe('hello');
      asked[0]?.ack({});
      expect(messages()[1]).toMatchObject({ content: 'hello', isEdited: true });
      expect(changes.useStore.getState().edits).toEqual([]);
    });

    it('survives a cut, and is sent again once the connection is back', async () => {
      const { asked, content, chat, returned } = withOwn();
      asked[0]?.reject(new SocketRequestError('closed'));
      await settled();
      expect(content()).toBe('hello');
      chat.connected();
      expect(asked[1]?.data).toMatchObject({ messageId: 2, newContent: 'hello' });
      expect(returned()).toEqual([]);
    });

    it.each([
      [new SocketRequestError('timeout'), 'edit_not_saved'],
      [new SocketRequestError('refused', 'rate_limited', 900), 'edit_too_fast'],
    ])('is undone on %s, and its text is given back', async (error, kind) => {
      const { asked, content, returned, notice, queryClient } = withOwn();
      asked[0]?.reject(error);
      await settled();
      expect(content()).toBe('helo');
      expect(returned()).toEqual([{ conversationId: to, messageId: '2', text: 'hello' }]);
      expect(notice()).toBe(kind);
      expect(queryClient.getQueryState(conversationKey(me, friend))?.isInvalidated).toBe(true);
    });
  });

  it('a reaction is shown at once, and then what the server says', () => {
    const { changes, asked, messages } = aPage();
    changes.react(friend, 1, '👍');
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
    const { changes, asked, queryClient, notice } = aPage();
    changes.react(friend, 1, '👍');
    asked[0]?.reject(new SocketRequestError('refused', 'unavailable'));
    await settled();
    expect(notice()).toBe('reaction_not_saved');
    expect(queryClient.getQueryState(conversationKey(me, friend))?.isInvalidated).toBe(true);
  });

  describe('a deletion', () => {
    const withOwn = () => {
      const page = aPage();
      page.hear('private_message', aPrivateMessage({ id: 2, senderId: me, receiverId: friend }));
      expect(page.changes.remove(friend, 2)).toBe(true);
      return page;
    };

    it('is shown at once and sent when the time to undo is over; the place stays', () => {
      const { asked, clock, shown, messages } = withOwn();
      expect(shown()[1]).toMatchObject({ content: '', isDeleted: true });
      clock.advance(pageLimits.toastMs - 1);
      expect(asked).toEqual([]);
      clock.advance(1);
      expect(asked[0]).toMatchObject({
        event: 'delete_private_message',
        data: { messageId: 2, senderId: me, receiverId: friend },
      });
      asked[0]?.ack({});
      expect(messages()[1]).toMatchObject({ content: '', isDeleted: true });
    });

    it('that is undone is never sent', () => {
      const { changes, asked, clock, shown } = withOwn();
      changes.undoRemove(2);
      clock.advance(pageLimits.toastMs);
      expect(asked).toEqual([]);
      expect(shown()[1]).toMatchObject({ content: 'hello', isDeleted: false });
    });

    it('is sent at once when the chat is left', () => {
      const { changes, asked, clock } = withOwn();
      changes.sendRemovals();
      clock.advance(pageLimits.toastMs);
      expect(asked).toHaveLength(1);
    });

    it('waits for the connection where it falls due without one', () => {
      const { chat, asked, clock, socket } = withOwn();
      socket.isOpen = false;
      clock.advance(pageLimits.toastMs);
      expect(asked).toEqual([]);
      socket.isOpen = true;
      chat.connected();
      expect(asked).toHaveLength(1);
    });

    it('that is refused brings the message back', async () => {
      const { asked, clock, shown, notice } = withOwn();
      clock.advance(pageLimits.toastMs);
      asked[0]?.reject(new SocketRequestError('refused', 'internal'));
      await settled();
      expect(shown()[1]).toMatchObject({ content: 'hello', isDeleted: false });
      expect(notice()).toBe('delete_not_saved');
    });
  });

  it('are not made without a connection', () => {
    const { changes, socket, asked, messages } = aPage();
    socket.isOpen = false;
    expect(changes.react(friend, 1, '👍')).toBe(false);
    expect(changes.remove(friend, 1)).toBe(false);
    expect(changes.edit(friend, 1, 'x')).toBe(false);
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
    chat.outbox.submit(to, text('hello'));
    chat.drafts.keep(friend, { ...emptyDraft, text: 'half a sentence' });
    hear('friendship_removed', data);
    expect(chat.conversations.known(me, friend)).toBeUndefined();
    expect(unread()).toEqual({});
    expect(outbox()).toEqual([]);
    expect(chat.drafts.of(friend)).toEqual(emptyDraft);
  });
});
