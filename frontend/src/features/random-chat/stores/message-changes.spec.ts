import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signOut } from '@/product/identity';
import { openRandomChatPage, resumedSession, storedAck } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

const retryAfterMs = 900;

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

describe('createMessageChanges', () => {
  /** Opens the chat s1, in which the user has sent one message. `storedAck` is its ack, with its id and the `seq` 2. */
  const openPageWithMessage = () => {
    const page = openRandomChatPage();
    page.matchPartner();
    page.submitMessage('helo');
    page.commands.at(-1)?.ack({ ...storedAck, clientId: 'c1' });
    return {
      ...page,
      listEditCommands: () => page.socket.listCommands('message_edit'),
      getContent: () => page.getState().session?.messages.at(-1)?.content,
      listUnsavedEdits: () => page.chat.outbox.useStore.getState().unsavedEdits,
      getNoticeKind: () => page.chat.outbox.useStore.getState().notice?.kind,
    };
  };

  it('keeps an edit when the connection is lost, and sends it again when the chat is resumed', async () => {
    const { chat, receive, listEditCommands, getContent, listUnsavedEdits } = openPageWithMessage();
    chat.edit(storedAck.id, 'hello');
    listEditCommands()[0]?.reject(new SocketRequestError('closed'));
    await flushPromises();
    expect(getContent()).toBe('hello');
    receive('session_resumed', { ...resumedSession, seq: 2 });
    expect(listEditCommands()).toHaveLength(2);
    listEditCommands()[1]?.ack({ seq: 3 });
    expect(getContent()).toBe('hello');
    expect(listUnsavedEdits()).toEqual([]);
  });

  it('does not send an edit again while its response is pending', () => {
    const { chat, receive, listEditCommands } = openPageWithMessage();
    chat.edit(storedAck.id, 'hello');
    receive('session_resumed', { ...resumedSession, seq: 2 });
    expect(listEditCommands()).toHaveLength(1);
  });

  it.each([
    ['a timeout', new SocketRequestError('timeout'), 'edit_not_saved'],
    ['an internal error', new SocketRequestError('refused', 'internal'), 'edit_not_saved'],
    ['a rate limit', new SocketRequestError('refused', 'rate_limited', retryAfterMs), 'edit_too_fast'],
  ])('undoes an edit on %s, and returns its text to the composer', async (_cause, error, noticeKind) => {
    const { chat, listEditCommands, getContent, listUnsavedEdits, getNoticeKind } = openPageWithMessage();
    chat.edit(storedAck.id, 'hello');
    listEditCommands()[0]?.reject(error);
    await flushPromises();
    expect(getContent()).toBe('helo');
    expect(listUnsavedEdits()).toEqual([{ conversationId: 's1', messageId: storedAck.id, text: 'hello' }]);
    expect(getNoticeKind()).toBe(noticeKind);
  });

  it('shows a notice for a rate-limited reaction', async () => {
    const { chat, commands, getNoticeKind } = openPageWithMessage();
    chat.react(storedAck.id, '👍');
    commands.at(-1)?.reject(new SocketRequestError('refused', 'rate_limited', retryAfterMs));
    await flushPromises();
    expect(getNoticeKind()).toBe('reaction_too_fast');
  });

  it('refuses edits and reactions while not connected', () => {
    const { chat, socket, commands } = openPageWithMessage();
    const commandCount = commands.length;
    socket.isOpen = false;
    expect(chat.edit(storedAck.id, 'hello')).toBe(false);
    expect(chat.react(storedAck.id, '👍')).toBe(false);
    expect(commands).toHaveLength(commandCount);
  });
});
