import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signOut } from '@/product/identity';
import { openRandomChatPage, resumedSession, storedAck } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

// A message that is not sent while disconnected is logged as a warning.
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

// `openRandomChatPage` shows the chat page, connected. Its `matchPartner` opens the chat s1; the match has the `seq` 1.
// The messages of the user get the clientIds c1, c2 and so on. `storedAck` has the `seq` 2.

/** Ids of the users of `openRandomChatPage`. */
const userId = 7;
const partnerId = 12;

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
    expect(getState().session?.messages.at(-1)).toMatchObject({ delivery: 'sent', id: storedAck.id });
    expect(listOutgoing()).toEqual([]);
  });

  it('is not sent or queued while not connected, and a warning is logged', () => {
    const { submitMessage, socket, matchPartner, listOutgoing } = openRandomChatPage();
    matchPartner();
    socket.isOpen = false;
    expect(submitMessage('hello')).toBe(false);
    expect(listOutgoing()).toEqual([]);
    expect(console.warn).toHaveBeenCalled();
  });

  it('is sent again when the chat is resumed, unless the server has stored it', async () => {
    const { submitMessage, commands, matchPartner, receive, listOutgoing } = openRandomChatPage();
    matchPartner();
    submitMessage('arrived');
    submitMessage('lost');
    const [, ...messageCommands] = commands; // the first one is `join_queue`
    for (const { reject } of messageCommands) reject(new SocketRequestError('closed'));
    await flushPromises();
    const countBeforeResume = commands.length;
    receive('session_resumed', {
      ...resumedSession,
      seq: 2,
      events: [
        {
          event: 'random_message',
          data: {
            ...storedAck,
            sessionId: 's1',
            senderId: userId,
            content: 'arrived',
            type: 'text',
            replyTo: null,
            clientId: 'c1',
          },
        },
      ],
    });
    expect(listOutgoing().map(({ clientId }) => clientId)).toEqual(['c2']);
    expect(commands.slice(countBeforeResume)).toMatchObject([
      { event: 'random_message', data: { clientId: 'c2' } },
    ]);
  });

  it('survives a reload, and is sent when its chat is resumed', () => {
    const pageBeforeReload = openRandomChatPage();
    pageBeforeReload.matchPartner();
    pageBeforeReload.submitMessage('hello');
    const { receive, commands } = openRandomChatPage({ isReload: true });
    receive('authenticated', { userId, state: 'chatting' });
    expect(commands).toEqual([]);
    receive('session_resumed', resumedSession);
    expect(commands).toMatchObject([{ data: { sessionId: 's1', content: 'hello', clientId: 'c1' } }]);
  });

  it('is dropped when its chat ends', () => {
    const { submitMessage, matchPartner, receive, listOutgoing } = openRandomChatPage();
    matchPartner();
    submitMessage('hello');
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partnerId });
    expect(listOutgoing()).toEqual([]);
  });

  it('is dropped when the page was reloaded and the server has no chat of the user', () => {
    const pageBeforeReload = openRandomChatPage();
    pageBeforeReload.matchPartner();
    pageBeforeReload.submitMessage('hello');
    const { receive, listOutgoing } = openRandomChatPage({ isReload: true });
    expect(listOutgoing()).toHaveLength(1);
    receive('authenticated', { userId, state: 'idle' });
    expect(listOutgoing()).toEqual([]);
  });

  it('is dropped with the draft when the user logs out', () => {
    const { submitMessage, chat, matchPartner } = openRandomChatPage();
    matchPartner();
    submitMessage('hello');
    const draftKey = 'thaw-draft'; // as in draft.ts
    sessionStorage.setItem(draftKey, 'half a sentence');
    signOut();
    // The app calls this when the signed-in user has changed.
    chat.switchUser();
    expect(sessionStorage).toHaveLength(0);
  });

  it('makes the page resync with the server when it is refused because the chat is over', async () => {
    const { submitMessage, commands, matchPartner, socket } = openRandomChatPage();
    matchPartner();
    submitMessage('hello');
    commands.at(-1)?.reject(new SocketRequestError('refused', 'session_ended'));
    await flushPromises();
    expect(socket.resyncCount).toBe(1);
  });
});
