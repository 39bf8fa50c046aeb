import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signOut } from '@/product/identity';
import { aRandomChatPage, resumed, stored } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

describe('a random-chat message of the user', () => {
  it('requests an ack with its clientId, and is shown in the chat on the ack', () => {
    const { say, commands, match, state, outgoing } = aRandomChatPage();
    match();
    expect(say('hello')).toBe(true);
    const request = commands.at(-1);
    expect(request).toMatchObject({
      event: 'random_message',
      data: { sessionId: 's1', content: 'hello', messageType: 'text', clientId: 'c1' },
    });
    request?.ack({ ...stored, clientId: 'c1' });
    expect(state().session?.messages.at(-1)).toMatchObject({ delivery: 'sent', id: '1763640000000-0' });
    expect(outgoing()).toEqual([]);
  });

  it('is not sent while not connected, and only logged (A114)', () => {
    const { say, socket, match, outgoing } = aRandomChatPage();
    match();
    socket.isOpen = false;
    expect(say('hello')).toBe(false);
    expect(outgoing()).toEqual([]);
    expect(console.warn).toHaveBeenCalled();
  });

  it('is sent again with the resume, unless it had arrived', async () => {
    const { say, commands, match, receive, outgoing } = aRandomChatPage();
    match();
    say('arrived');
    say('lost');
    for (const { reject } of commands.slice(1)) reject(new SocketRequestError('closed'));
    await flushPromises();
    const before = commands.length;
    receive('session_resumed', {
      ...resumed,
      seq: 2,
      events: [
        {
          event: 'random_message',
          data: {
            ...stored,
            sessionId: 's1',
            senderId: 7,
            content: 'arrived',
            type: 'text',
            replyTo: null,
            clientId: 'c1',
          },
        },
      ],
    });
    expect(outgoing().map(({ clientId }) => clientId)).toEqual(['c2']);
    expect(commands.slice(before)).toMatchObject([{ event: 'random_message', data: { clientId: 'c2' } }]);
  });

  it('survives a reload and is sent with the resume of its chat', () => {
    const before = aRandomChatPage();
    before.match();
    before.say('hello');
    const { receive, commands } = aRandomChatPage({ isReload: true });
    receive('authenticated', { userId: 7, state: 'chatting' });
    expect(commands).toEqual([]);
    receive('session_resumed', resumed);
    expect(commands).toMatchObject([{ data: { sessionId: 's1', content: 'hello', clientId: 'c1' } }]);
  });

  it('is dropped when its chat ends, on a reload without a chat, and on logout', () => {
    const { say, chat, match, receive, outgoing } = aRandomChatPage();
    match();
    say('hello');
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: 12 });
    expect(outgoing()).toEqual([]);
    chat.startNewConversation();
    match('s2');
    say('again', 's2');
    const reloaded = aRandomChatPage({ isReload: true });
    expect(reloaded.outgoing()).toHaveLength(1);
    reloaded.receive('authenticated', { userId: 7, state: 'idle' });
    expect(reloaded.outgoing()).toEqual([]);
    reloaded.match('s3');
    reloaded.say('more', 's3');
    sessionStorage.setItem('thaw-draft', 'half a sentence');
    signOut();
    reloaded.chat.switchUser();
    expect(sessionStorage).toHaveLength(0);
  });

  it('resyncs when the server reports that the chat is over', async () => {
    const { say, commands, match, socket } = aRandomChatPage();
    match();
    say('hello');
    commands.at(-1)?.reject(new SocketRequestError('refused', 'session_ended'));
    await flushPromises();
    expect(socket.resyncs).toBe(1);
  });
});
