import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signOut } from '@/product/identity';
import { aRandomChatPage, resumed, stored } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

describe('an edit or a reaction by the user', () => {
  const withMessage = () => {
    const page = aRandomChatPage();
    page.match();
    page.say('helo');
    page.commands.at(-1)?.ack({ ...stored, clientId: 'c1' });
    return {
      ...page,
      edits: () => page.socket.listCommands('message_edit'),
      content: () => page.state().session?.messages.at(-1)?.content,
      returned: () => page.chat.outbox.useStore.getState().unsavedEdits,
      notice: () => page.chat.outbox.useStore.getState().notice?.kind,
    };
  };

  it('survives a lost connection and is sent again with the resume', async () => {
    const { chat, receive, edits, content, returned } = withMessage();
    chat.edit(stored.id, 'hello');
    edits()[0]?.reject(new SocketRequestError('closed'));
    await flushPromises();
    expect(content()).toBe('hello');
    receive('session_resumed', { ...resumed, seq: 2 });
    expect(edits()).toHaveLength(2);
    edits()[1]?.ack({ seq: 3 });
    expect(content()).toBe('hello');
    expect(returned()).toEqual([]);
  });

  it('is sent once while its answer is pending', () => {
    const { chat, receive, edits } = withMessage();
    chat.edit(stored.id, 'hello');
    receive('session_resumed', { ...resumed, seq: 2 });
    expect(edits()).toHaveLength(1);
  });

  it.each([
    [new SocketRequestError('timeout'), 'edit_not_saved'],
    [new SocketRequestError('refused', 'internal'), 'edit_not_saved'],
    [new SocketRequestError('refused', 'rate_limited', 900), 'edit_too_fast'],
  ])('is undone on %s, and its text is returned to the composer', async (error, kind) => {
    const { chat, edits, content, returned, notice } = withMessage();
    chat.edit(stored.id, 'hello');
    edits()[0]?.reject(error);
    await flushPromises();
    expect(content()).toBe('helo');
    expect(returned()).toEqual([{ conversationId: 's1', messageId: stored.id, text: 'hello' }]);
    expect(notice()).toBe(kind);
  });

  it('shows a notice for a rate-limited reaction', async () => {
    const { chat, commands, notice } = withMessage();
    chat.react(stored.id, '👍');
    commands.at(-1)?.reject(new SocketRequestError('refused', 'rate_limited', 900));
    await flushPromises();
    expect(notice()).toBe('reaction_too_fast');
  });

  it('is refused while not connected', () => {
    const { chat, socket, edits } = withMessage();
    socket.isOpen = false;
    expect(chat.edit(stored.id, 'hello')).toBe(false);
    expect(chat.react(stored.id, '👍')).toBe(false);
    expect(edits()).toEqual([]);
  });
});
