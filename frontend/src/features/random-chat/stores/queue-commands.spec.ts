import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { openRandomChatPage, type RandomChatPage } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

describe('a search', () => {
  it('sends join_queue again after the delay that the server requests', async () => {
    const { chat, clock, commands } = openRandomChatPage();
    const retryAfterMs = 700;
    chat.startSearch();
    commands.at(-1)?.reject(new SocketRequestError('refused', 'rate_limited', retryAfterMs));
    await flushPromises();
    expect(commands).toHaveLength(1);
    clock.advance(retryAfterMs);
    expect(commands).toHaveLength(2);
  });

  it('returns to the phase `initial` when it is refused, and increases `refusalCount`', async () => {
    const { chat, commands, getState } = openRandomChatPage();
    chat.startSearch();
    commands.at(-1)?.reject(new SocketRequestError('refused', 'unavailable'));
    await flushPromises();
    expect(getState()).toMatchObject({ phase: 'initial', refusalCount: 1 });
  });

  it('resyncs when the user is already in a chat', async () => {
    const { chat, commands, socket, getState } = openRandomChatPage();
    chat.startSearch();
    commands.at(-1)?.reject(new SocketRequestError('refused', 'already_in_session'));
    await flushPromises();
    expect(socket.resyncCount).toBe(1);
    expect(getState().phase).toBe('searching');
  });

  it('uses the stored preference of each user, and `both` for a user without one', () => {
    const { chat, getState } = openRandomChatPage();
    chat.choosePreference('female');
    signIn(aUser({ id: 8 }));
    chat.switchUser();
    expect(getState().preference).toBe('both');
    signIn(aUser()); // the first user again
    chat.switchUser();
    expect(getState().preference).toBe('female');
  });
});

describe('after a timeout', () => {
  const timeOutLastCommand = async ({ socket }: RandomChatPage, event: string): Promise<void> => {
    socket.listCommands(event).at(-1)?.reject(new SocketRequestError('timeout'));
    await flushPromises();
  };

  it('join_queue is sent again unless the user has cancelled the search', async () => {
    const page = openRandomChatPage();
    const { chat, socket, getState } = page;
    chat.startSearch();
    await timeOutLastCommand(page, 'join_queue');
    expect(socket.listCommands('join_queue')).toHaveLength(2);
    expect(getState().phase).toBe('searching');
    chat.cancelSearch();
    await timeOutLastCommand(page, 'join_queue');
    expect(socket.listCommands('join_queue')).toHaveLength(2);
  });

  it('leave_queue is sent again until it is acknowledged', async () => {
    const page = openRandomChatPage();
    const { chat, socket, getState } = page;
    chat.startSearch();
    chat.cancelSearch();
    await timeOutLastCommand(page, 'leave_queue');
    expect(socket.listCommands('leave_queue')).toHaveLength(2);
    socket.listCommands('leave_queue').at(-1)?.ack({});
    expect(getState().isLeavePending).toBe(false);
    await flushPromises();
    expect(socket.listCommands('leave_queue')).toHaveLength(2);
  });
});
