import { type QueryClient } from '@tanstack/react-query';
import { conversationKey } from '@/features/private-chat/api/private-messages';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
import { aPrivateMessage, aUser } from '@/testing/factories';
import { openPrivateChatPage, friend, me } from '@/testing/private-chat-page';
import { flushPromises } from '@/testing/flush-promises';

// `openPrivateChatPage` creates the stores of a page, without components. The chat with the friend contains one message
// of the friend, with the id 1. `listMessages` lists the cached messages; `listRows` lists them as the screen shows
// them, with the user's pending edits and deletions.

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

/** Whether the page will refetch the conversation with the friend. */
const willRefetch = (queryClient: QueryClient): boolean | undefined =>
  queryClient.getQueryState(conversationKey(me, friend))?.isInvalidated;

describe('an edit of a private message', () => {
  const editOwnMessage = () => {
    const page = openPrivateChatPage();
    page.receive(
      'private_message',
      aPrivateMessage({ id: 2, senderId: me, receiverId: friend, content: 'helo' }),
    );
    expect(page.changes.edit(friend, 2, 'hello')).toBe(true);
    return { ...page, getShownContent: () => page.listRows()[1]?.content };
  };

  it('is shown at once and stored on its ack', () => {
    const { commands, getShownContent, listMessages, changes } = editOwnMessage();
    expect(commands[0]).toMatchObject({
      event: 'edit_private_message',
      data: { messageId: 2, newContent: 'hello', senderId: me, receiverId: friend },
    });
    expect(getShownContent()).toBe('hello');
    commands[0]?.ack({});
    expect(listMessages()[1]).toMatchObject({ content: 'hello', isEdited: true });
    const pendingEdits = changes.useStore.getState().edits;
    expect(pendingEdits).toEqual([]);
  });

  it('survives a lost connection and is sent again after the reconnect', async () => {
    const { commands, getShownContent, chat, listUnsavedEdits } = editOwnMessage();
    commands[0]?.reject(new SocketRequestError('closed'));
    await flushPromises();
    expect(getShownContent()).toBe('hello');
    chat.resendInterrupted();
    expect(commands[1]?.data).toMatchObject({ messageId: 2, newContent: 'hello' });
    expect(listUnsavedEdits()).toEqual([]);
  });

  const retryAfterMs = 900;
  it.each([
    ['a timeout', new SocketRequestError('timeout'), 'edit_not_saved'],
    ['a rate limit', new SocketRequestError('refused', 'rate_limited', retryAfterMs), 'edit_too_fast'],
  ])('is undone on %s, and its text is returned to the composer', async (_cause, error, noticeKind) => {
    const { commands, getShownContent, listUnsavedEdits, getNoticeKind, queryClient } = editOwnMessage();
    commands[0]?.reject(error);
    await flushPromises();
    expect(getShownContent()).toBe('helo');
    // The composer takes its text from the unsaved edits.
    expect(listUnsavedEdits()).toEqual([{ conversationId: String(friend), messageId: '2', text: 'hello' }]);
    expect(getNoticeKind()).toBe(noticeKind);
    expect(willRefetch(queryClient)).toBe(true);
  });

  it('is applied when a frame reports an edit of the friend', () => {
    const { receive, listMessages } = openPrivateChatPage();
    receive('private_message_edited', {
      messageId: 1,
      newContent: 'better',
      senderId: friend,
      receiverId: me,
    });
    expect(listMessages()[0]).toMatchObject({ content: 'better', isEdited: true });
  });

  it('is refused without a connection', () => {
    const { changes, socket, commands } = openPrivateChatPage();
    socket.isOpen = false;
    expect(changes.edit(friend, 1, 'x')).toBe(false);
    expect(commands).toEqual([]);
  });
});

describe('a reaction to a private message', () => {
  it('is shown at once, and then replaced by all reactions from its ack', () => {
    const { changes, commands, listMessages } = openPrivateChatPage();
    changes.react(friend, 1, '👍');
    expect(listMessages()[0]?.reactions).toEqual([{ emoji: '👍', userId: me }]);
    expect(commands[0]?.data).toEqual({ messageId: 1, emoji: '👍', userId: me, receiverId: friend });
    const reactions = [
      { emoji: '👍', userId: friend },
      { emoji: '👍', userId: me },
    ];
    commands[0]?.ack({ reactions });
    expect(listMessages()[0]?.reactions).toEqual(reactions);
  });

  it('makes the page refetch the conversation when the server refuses it', async () => {
    const { changes, commands, queryClient, getNoticeKind } = openPrivateChatPage();
    changes.react(friend, 1, '👍');
    commands[0]?.reject(new SocketRequestError('refused', 'unavailable'));
    await flushPromises();
    expect(getNoticeKind()).toBe('reaction_not_saved');
    expect(willRefetch(queryClient)).toBe(true);
  });

  it('is applied when a frame reports the reactions of a message', () => {
    const { receive, listMessages } = openPrivateChatPage();
    const [message] = listMessages();
    const reactions = [{ emoji: '🔥', userId: me }];
    receive('private_message_reaction', {
      messageId: 1,
      emoji: '🔥',
      userId: me,
      reactions,
      senderId: friend,
      receiverId: me,
    });
    expect(listMessages()[0]).toEqual({ ...message, reactions });
  });

  it('is refused without a connection', () => {
    const { changes, socket, commands, listMessages } = openPrivateChatPage();
    socket.isOpen = false;
    expect(changes.react(friend, 1, '👍')).toBe(false);
    expect(commands).toEqual([]);
    expect(listMessages()[0]?.reactions).toEqual([]);
  });
});

describe('a deletion of a private message', () => {
  /** The deletion can be undone as long as its toast is shown. */
  const undoPeriodMs = pageLimits.toastMs;
  const deleteOwnMessage = () => {
    const page = openPrivateChatPage();
    page.receive(
      'private_message',
      aPrivateMessage({ id: 2, senderId: me, receiverId: friend, content: 'hello' }),
    );
    expect(page.changes.deleteMessage(friend, 2)).toBe(true);
    return page;
  };

  it('is shown at once as a deleted message, and sent after the undo period', () => {
    const { commands, clock, listRows, listMessages } = deleteOwnMessage();
    expect(listRows()[1]).toMatchObject({ content: '', isDeleted: true });
    clock.advance(undoPeriodMs - 1);
    expect(commands).toEqual([]);
    clock.advance(1);
    expect(commands[0]).toMatchObject({
      event: 'delete_private_message',
      data: { messageId: 2, senderId: me, receiverId: friend },
    });
    commands[0]?.ack({});
    expect(listMessages()[1]).toMatchObject({ content: '', isDeleted: true });
  });

  it('is never sent when it is undone', () => {
    const { changes, commands, clock, listRows } = deleteOwnMessage();
    changes.undoDeletion(2);
    clock.advance(undoPeriodMs);
    expect(commands).toEqual([]);
    expect(listRows()[1]).toMatchObject({ content: 'hello', isDeleted: false });
  });

  it('is sent only once when the user leaves the chat during the undo period', () => {
    const { changes, commands, clock } = deleteOwnMessage();
    changes.sendDeletions(); // as the chat does when the user leaves
    expect(commands).toHaveLength(1);
    clock.advance(undoPeriodMs);
    expect(commands).toHaveLength(1);
  });

  it('is never sent when the friendship ends during the undo period', () => {
    const { receive, commands, clock } = deleteOwnMessage();
    receive('friendship_removed', { removedFriendId: friend, removedBy: me });
    clock.advance(undoPeriodMs);
    expect(commands).toEqual([]);
  });

  it('waits for a connection when the undo period ends without one', () => {
    const { chat, commands, clock, socket } = deleteOwnMessage();
    socket.isOpen = false;
    clock.advance(undoPeriodMs);
    expect(commands).toEqual([]);
    socket.isOpen = true;
    chat.resendInterrupted();
    expect(commands).toHaveLength(1);
  });

  it('is undone when the server refuses it', async () => {
    const { commands, clock, listRows, getNoticeKind } = deleteOwnMessage();
    clock.advance(undoPeriodMs);
    commands[0]?.reject(new SocketRequestError('refused', 'internal'));
    await flushPromises();
    expect(listRows()[1]).toMatchObject({ content: 'hello', isDeleted: false });
    expect(getNoticeKind()).toBe('delete_not_saved');
  });

  it('is applied when a frame reports that the friend has deleted a message', () => {
    const { receive, listMessages } = openPrivateChatPage();
    receive('private_message_deleted', { messageId: 1, senderId: friend, receiverId: me });
    expect(listMessages()[0]).toMatchObject({ content: '', isDeleted: true });
  });

  it('is refused without a connection', () => {
    const { changes, socket, commands } = openPrivateChatPage();
    socket.isOpen = false;
    expect(changes.deleteMessage(friend, 1)).toBe(false);
    expect(commands).toEqual([]);
  });
});
