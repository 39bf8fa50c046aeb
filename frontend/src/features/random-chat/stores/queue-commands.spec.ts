import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { aRandomChatPage, type RandomChatPage } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

describe('searching', () => {
  it('joins again after the delay that the server requests', async () => {
    const { chat, clock, commands } = aRandomChatPage();
    chat.startSearch();
    commands.at(-1)?.reject(new SocketRequestError('refused', 'rate_limited', 700));
    await flushPromises();
    expect(commands).toHaveLength(1);
    clock.advance(700);
    expect(commands).toHaveLength(2);
  });

  it('reports a refusal and returns to initial', async () => {
    const { chat, commands, state } = aRandomChatPage();
    chat.startSearch();
    commands.at(-1)?.reject(new SocketRequestError('refused', 'unavailable'));
    await flushPromises();
    expect(state()).toMatchObject({ phase: 'initial', refusals: 1 });
  });

  it('resyncs when the user is already in a chat', async () => {
    const { chat, commands, socket, state } = aRandomChatPage();
    chat.startSearch();
    commands.at(-1)?.reject(new SocketRequestError('refused', 'already_in_session'));
    await flushPromises();
    expect(socket.resyncs).toBe(1);
    expect(state().phase).toBe('searching');
  });

  it('stores the preference of each user (A48)', () => {
    const { chat, state } = aRandomChatPage();
    chat.choosePreference('female');
    signIn(aUser({ id: 8 }));
    chat.switchUser();
    expect(state().preference).toBe('both');
    signIn(aUser({ id: 7 }));
    chat.switchUser();
    expect(state().preference).toBe('female');
  });
});

describe('an unanswered queue command', () => {
  const unanswered = async ({ socket }: RandomChatPage, event: string): Promise<void> => {
    socket.listCommands(event).at(-1)?.reject(new SocketRequestError('timeout'));
    await flushPromises();
  };

  it('is repeated while the search is wanted (join_queue)', async () => {
    const page = aRandomChatPage();
    const { chat, socket, state } = page;
    chat.startSearch();
    await unanswered(page, 'join_queue');
    expect(socket.listCommands('join_queue')).toHaveLength(2);
    expect(state().phase).toBe('searching');
    chat.cancelSearch();
    await unanswered(page, 'join_queue');
    expect(socket.listCommands('join_queue')).toHaveLength(2);
  });

  it('is repeated until it is acknowledged (leave_queue)', async () => {
    const page = aRandomChatPage();
    const { chat, socket, state } = page;
    chat.startSearch();
    chat.cancelSearch();
    await unanswered(page, 'leave_queue');
    expect(socket.listCommands('leave_queue')).toHaveLength(2);
    socket.listCommands('leave_queue').at(-1)?.ack({});
    expect(state().isLeavePending).toBe(false);
    await unanswered(page, 'leave_queue');
    expect(socket.listCommands('leave_queue')).toHaveLength(2);
  });
});
