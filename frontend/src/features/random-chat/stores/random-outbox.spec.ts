import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signOut } from '@/product/identity';
import { openRandomChatPage, resumedSession, storedAck } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

describe('a random-chat message of the user', () => {
  it('requests an ack with its clientId, and is shown in the chat on the ack', () => {
    const { submitMessage, commands, matchPartner, getState, listOutgoing } = openRandomChatPage();
    matchPartner();
    expect(submitMessage('hello')).toBe(true);
    const request = commands.at(-1);
    expect(request).toMatchObject({
      event: 'random_message',
      data: { sessionId: 's1', content: 'hello', messageType: 'text', clientId: 'c1' },
    });
    request?.ack({ ...storedAck, clientId: 'c1' });
    expect(getState().session?.messages.at(-1)).toMatchObject({ delivery: 'sent', id: '1763640000000-0' });
    expect(listOutgoing()).toEqual([]);
  });

  it('is not sent while not connected, and only logged (A114)', () => {
    const { submitMessage, socket, matchPartner, listOutgoing } = openRandomChatPage();
    matchPartner();
    socket.isOpen = false;
    expect(submitMessage('hello')).toBe(false);
    expect(listOutgoing()).toEqual([]);
    expect(console.warn).toHaveBeenCalled();
  });

  it('is sent again with the resume, unless it had arrived', async () => {
    const { submitMessage, commands, matchPartner, receive, listOutgoing } = openRandomChatPage();
    matchPartner();
    submitMessage('arrived');
    submitMessage('lost');
    for (const { reject } of commands.slice(1)) reject(new SocketRequestError('closed'));
    await flushPromises();
    const before = commands.length;
    receive('session_resumed', {
      ...resumedSession,
      seq: 2,
      events: [
        {
          event: 'random_message',
          data: {
            ...storedAck,
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
    expect(listOutgoing().map(({ clientId }) => clientId)).toEqual(['c2']);
    expect(commands.slice(before)).toMatchObject([{ event: 'random_message', data: { clientId: 'c2' } }]);
  });

  it('survives a reload and is sent with the resume of its chat', () => {
    const before = openRandomChatPage();
    before.matchPartner();
    before.submitMessage('hello');
    const { receive, commands } = openRandomChatPage({ isReload: true });
    receive('authenticated', { userId: 7, state: 'chatting' });
    expect(commands).toEqual([]);
    receive('session_resumed', resumedSession);
    expect(commands).toMatchObject([{ data: { sessionId: 's1', content: 'hello', clientId: 'c1' } }]);
  });

  it('is dropped when its chat ends, on a reload without a chat, and on logout', () => {
    const { submitMessage, chat, matchPartner, receive, listOutgoing } = openRandomChatPage();
    matchPartner();
    submitMessage('hello');
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: 12 });
    expect(listOutgoing()).toEqual([]);
    chat.startNewConversation();
    matchPartner('s2');
    submitMessage('again', 's2');
    const reloaded = openRandomChatPage({ isReload: true });
    expect(reloaded.listOutgoing()).toHaveLength(1);
    reloaded.receive('authenticated', { userId: 7, state: 'idle' });
    expect(reloaded.listOutgoing()).toEqual([]);
    reloaded.matchPartner('s3');
    reloaded.submitMessage('more', 's3');
    sessionStorage.setItem('thaw-draft', 'half a sentence');
    signOut();
    reloaded.chat.switchUser();
    expect(sessionStorage).toHaveLength(0);
  });

  it('resyncs when the server reports that the chat is over', async () => {
    const { submitMessage, commands, matchPartner, socket } = openRandomChatPage();
    matchPartner();
    submitMessage('hello');
    commands.at(-1)?.reject(new SocketRequestError('refused', 'session_ended'));
    await flushPromises();
    expect(socket.resyncs).toBe(1);
  });
});
