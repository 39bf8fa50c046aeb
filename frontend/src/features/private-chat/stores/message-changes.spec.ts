import { conversationKey } from '@/features/private-chat/api/private-messages';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
import { aPrivateMessage, aUser } from '@/testing/factories';
import { openPrivateChatPage, friend, me } from '@/testing/private-chat-page';
import { flushPromises } from '@/testing/flush-promises';

// `openPrivateChatPage` opens a chat that contains the message 1 of the friend. `listMessages` lists the cached
// messages; `listRows` lists them as the screen shows them, with the user's pending edits and deletions.

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

describe('changes of private messages', () => {
  it('are applied when frames report them', () => {
    const { receive, listMessages } = openPrivateChatPage();
    const participants = { senderId: friend, receiverId: me };
    receive('private_message_edited', { messageId: 1, newContent: 'better', ...participants });
    const reactions = [{ emoji: '🔥', userId: me }];
    receive('private_message_reaction', {
      messageId: 1,
      emoji: '🔥',
      userId: me,
      reactions,
      ...participants,
    });
    expect(listMessages()[0]).toMatchObject({ content: 'better', isEdited: true, reactions });
    receive('private_message_deleted', { messageId: 1, ...participants });
    expect(listMessages()[0]).toMatchObject({ content: '', isDeleted: true });
  });

  describe('an edit', () => {
    const editOwnMessage = () => {
      const page = openPrivateChatPage();
      page.receive(
        'private_message',
        aPrivateMessage({ id: 2, senderId: me, receiverId: friend, content: 'helo' }),
      );
      expect(page.changes.edit(friend, 2, 'hello')).toBe(true);
      return { ...page, getContent: () => page.listRows()[1]?.content };
    };

    it('is shown at once and stored on its ack', () => {
      const { commands, getContent, listMessages, changes } = editOwnMessage();
      expect(commands[0]).toMatchObject({
        event: 'edit_private_message',
        data: { messageId: 2, newContent: 'hello', senderId: me, receiverId: friend },
      });
      expect(getContent()).toBe('hello');
      commands[0]?.ack({});
      expect(listMessages()[1]).toMatchObject({ content: 'hello', isEdited: true });
      expect(changes.useStore.getState().edits).toEqual([]);
    });

    it('survives a lost connection and is sent again after the reconnect', async () => {
      const { commands, getContent, chat, listUnsavedEdits } = editOwnMessage();
      commands[0]?.reject(new SocketRequestError('closed'));
      await flushPromises();
      expect(getContent()).toBe('hello');
      chat.resendInterrupted();
      expect(commands[1]?.data).toMatchObject({ messageId: 2, newContent: 'hello' });
      expect(listUnsavedEdits()).toEqual([]);
    });

    const retryAfterMs = 900;
    it.each([
      ['a timeout', new SocketRequestError('timeout'), 'edit_not_saved'],
      ['a rate limit', new SocketRequestError('refused', 'rate_limited', retryAfterMs), 'edit_too_fast'],
    ])('is undone on %s, and its text is returned to the composer', async (_cause, error, noticeKind) => {
      const { commands, getContent, listUnsavedEdits, getNoticeKind, queryClient } = editOwnMessage();
      commands[0]?.reject(error);
      await flushPromises();
      expect(getContent()).toBe('helo');
      expect(listUnsavedEdits()).toEqual([{ conversationId: String(friend), messageId: '2', text: 'hello' }]);
      expect(getNoticeKind()).toBe(noticeKind);
      expect(queryClient.getQueryState(conversationKey(me, friend))?.isInvalidated).toBe(true);
    });
  });

  describe('a reaction', () => {
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
      expect(queryClient.getQueryState(conversationKey(me, friend))?.isInvalidated).toBe(true);
    });
  });

  describe('a deletion', () => {
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
      // The chat calls this when the user leaves.
      changes.sendDeletions();
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
  });

  it('are refused without a connection', () => {
    const { changes, socket, commands, listMessages } = openPrivateChatPage();
    socket.isOpen = false;
    expect(changes.react(friend, 1, '👍')).toBe(false);
    expect(changes.deleteMessage(friend, 1)).toBe(false);
    expect(changes.edit(friend, 1, 'x')).toBe(false);
    expect(commands).toEqual([]);
    expect(listMessages()[0]?.reactions).toEqual([]);
  });
});
