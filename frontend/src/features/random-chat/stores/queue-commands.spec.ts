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

/** Rejects the last command `event`. */
const rejectLast = async (
  { socket }: RandomChatPage,
  event: 'join_queue' | 'leave_queue',
  error: SocketRequestError,
): Promise<void> => {
  socket.listCommands(event).at(-1)?.reject(error);
  await flushPromises();
};

describe('a search', () => {
  it('sends join_queue again after the delay that the server requests', async () => {
    const page = openRandomChatPage();
    const { chat, clock, commands } = page;
    const retryAfterMs = 700;
    chat.startSearch();
    await rejectLast(page, 'join_queue', new SocketRequestError('refused', 'rate_limited', retryAfterMs));
    expect(commands).toHaveLength(1);
    clock.advance(retryAfterMs);
    expect(commands).toHaveLength(2);
  });

  it('returns to the phase `initial` when it is refused, and increases `refusalCount`', async () => {
    const page = openRandomChatPage();
    const { chat, getState } = page;
    chat.startSearch();
    await rejectLast(page, 'join_queue', new SocketRequestError('refused', 'unavailable'));
    // Each increment of `refusalCount` shows a toast.
    expect(getState()).toMatchObject({ phase: 'initial', refusalCount: 1 });
  });

  it('resyncs when the user is already in a chat', async () => {
    const page = openRandomChatPage();
    const { chat, socket, getState } = page;
    chat.startSearch();
    await rejectLast(page, 'join_queue', new SocketRequestError('refused', 'already_in_session'));
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
  const timeout = new SocketRequestError('timeout');

  it('join_queue is sent again while the user searches', async () => {
    const page = openRandomChatPage();
    const { chat, socket, getState } = page;
    chat.startSearch();
    await rejectLast(page, 'join_queue', timeout);
    expect(socket.listCommands('join_queue')).toHaveLength(2);
    expect(getState().phase).toBe('searching');
  });

  it('join_queue is not sent again when the user has cancelled the search', async () => {
    const page = openRandomChatPage();
    const { chat, socket } = page;
    chat.startSearch();
    chat.cancelSearch();
    await rejectLast(page, 'join_queue', timeout);
    expect(socket.listCommands('join_queue')).toHaveLength(1);
  });

  it('leave_queue is sent again until it is acknowledged', async () => {
    const page = openRandomChatPage();
    const { chat, socket, getState } = page;
    chat.startSearch();
    chat.cancelSearch();
    await rejectLast(page, 'leave_queue', timeout);
    expect(socket.listCommands('leave_queue')).toHaveLength(2);
    socket.listCommands('leave_queue').at(-1)?.ack({});
    expect(getState().isLeavePending).toBe(false);
    await flushPromises();
    // No third command.
    expect(socket.listCommands('leave_queue')).toHaveLength(2);
  });
});
