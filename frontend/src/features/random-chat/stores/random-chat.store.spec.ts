import { limits } from '@thaw/contract/limits';
import { pageLimits } from '@/lib/page-limits';
import { signOut } from '@/product/identity';
import { setSearchAtOnceOn } from '@/product/search-at-once';
import { openRandomChatPage, resumedSession, type RandomChatPage } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

describe('typing', () => {
  it('notifies the partner at most every two seconds', () => {
    const { submitMessage, chat, clock, sent, matchPartner } = openRandomChatPage();
    matchPartner();
    const count = (): number => sent.filter(({ event }) => event === 'typing').length;
    chat.notifyTyping();
    chat.notifyTyping();
    expect(count()).toBe(1);
    clock.advance(limits.typingIntervalMs - 1);
    chat.notifyTyping();
    expect(count()).toBe(1);
    clock.advance(1);
    chat.notifyTyping();
    expect(count()).toBe(2);
    submitMessage('hello');
    chat.notifyTyping();
    expect(count()).toBe(2);
  });

  it('of the partner is hidden six seconds after the last frame', () => {
    const { clock, receive, matchPartner, getState } = openRandomChatPage();
    matchPartner();
    receive('typing', { sessionId: 's1', userId: 12 });
    clock.advance(4_000);
    receive('typing', { sessionId: 's1', userId: 12 });
    clock.advance(pageLimits.typingShownMs - 1);
    expect(getState().session?.isPartnerTyping).toBe(true);
    clock.advance(1);
    expect(getState().session?.isPartnerTyping).toBe(false);
  });
});

describe('leaving /chat inside the application (A59)', () => {
  it('ends a search at once', async () => {
    const { chat, commands, getState } = openRandomChatPage();
    chat.startSearch();
    chat.hide();
    await flushPromises();
    expect(getState().phase).toBe('initial');
    expect(commands.at(-1)).toMatchObject({ event: 'leave_queue', data: {} });
  });

  it('skips a chat after ten seconds', async () => {
    const { chat, clock, sent, matchPartner, getState } = openRandomChatPage();
    matchPartner();
    chat.hide();
    clock.advance(pageLimits.leaveChatDelayMs - 1);
    await flushPromises();
    expect(getState().phase).toBe('active');
    clock.advance(1);
    await flushPromises();
    expect(getState().phase).toBe('initial');
    expect(sent.at(-1)).toEqual({ event: 'skip_chat', data: { sessionId: 's1' } });
  });

  it('keeps the chat when the user returns in time', async () => {
    const { chat, clock, matchPartner, getState } = openRandomChatPage();
    matchPartner();
    chat.hide();
    clock.advance(9_000);
    chat.show();
    clock.advance(60_000);
    await flushPromises();
    expect(getState().phase).toBe('active');
  });

  it('ends nothing while another tab shows the chat', async () => {
    const { chat, clock, openTabs, matchPartner, getState } = openRandomChatPage();
    openTabs.elsewhere = true;
    chat.startSearch();
    chat.hide();
    await flushPromises();
    expect(getState().phase).toBe('searching');
    chat.show();
    matchPartner();
    chat.hide();
    clock.advance(pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(getState().phase).toBe('active');
  });

  it('ends the chat at once on logout', () => {
    const { chat, sent, matchPartner } = openRandomChatPage();
    matchPartner();
    chat.endSearchOrChat();
    expect(sent.at(-1)).toEqual({ event: 'skip_chat', data: { sessionId: 's1' } });
  });
});

describe('New Conversation', () => {
  const end = ({ receive, matchPartner }: RandomChatPage): void => {
    matchPartner();
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: 12 });
  };

  it('goes to the initial phase, or searches at once if the user has chosen so (A57)', () => {
    const made = openRandomChatPage();
    end(made);
    made.chat.startNewConversation();
    expect(made.getState().phase).toBe('initial');
    setSearchAtOnceOn(true);
    end(made);
    made.chat.startNewConversation();
    expect(made.getState().phase).toBe('searching');
    expect(made.commands.at(-1)).toMatchObject({ event: 'join_queue' });
  });

  it('does not search without a connection', () => {
    const made = openRandomChatPage();
    setSearchAtOnceOn(true);
    end(made);
    made.socket.isOpen = false;
    made.chat.startNewConversation();
    expect(made.getState().phase).toBe('initial');
  });
});

describe('authenticating', () => {
  it('reports the displayed version in a chat only', () => {
    const { chat, receive, matchPartner } = openRandomChatPage();
    expect(chat.getLastSeen()).toBeUndefined();
    matchPartner();
    expect(chat.getLastSeen()).toEqual({ sessionId: 's1', seq: 1 });
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: 12 });
    expect(chat.getLastSeen()).toBeUndefined();
  });

  it('gives up a chat that the server neither resumes nor ends', () => {
    const { clock, receive, matchPartner, getState } = openRandomChatPage();
    matchPartner();
    receive('authenticated', { userId: 7, state: 'idle' });
    expect(getState().phase).toBe('active');
    clock.advance(5_000);
    expect(getState().phase).toBe('skipped');
  });

  it('keeps a chat that is resumed in time', () => {
    const { clock, receive, matchPartner, getState } = openRandomChatPage();
    matchPartner();
    receive('authenticated', { userId: 7, state: 'idle' });
    receive('session_resumed', resumedSession);
    clock.advance(60_000);
    expect(getState().phase).toBe('active');
  });
});
