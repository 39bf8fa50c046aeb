import { limits } from '@thaw/contract/limits';
import { pageLimits } from '@/lib/page-limits';
import { signOut } from '@/product/identity';
import { setSearchAtOnceOn } from '@/product/search-at-once';
import { openRandomChatPage, resumedSession, type RandomChatPage } from '@/testing/random-chat-page';
import { flushPromises } from '@/testing/flush-promises';

// `openRandomChatPage` creates the store of a page that shows the random chat and is connected. Its `matchPartner`
// starts a search and receives a match, which opens the session s1 with the `seq` 1.

/** Ids of the users of `openRandomChatPage`. */
const userId = 7;
const partnerId = 12;
/** Long after any timer of the page would have ended. */
const longMs = 60_000;

afterEach(() => signOut());

describe('typing', () => {
  it('notifies the partner at most every two seconds', () => {
    const { submitMessage, chat, clock, sent, matchPartner } = openRandomChatPage();
    matchPartner();
    const countTypingFrames = (): number => sent.filter(({ event }) => event === 'typing').length;
    chat.notifyTyping();
    chat.notifyTyping();
    expect(countTypingFrames()).toBe(1);
    clock.advance(limits.typingIntervalMs - 1);
    chat.notifyTyping();
    expect(countTypingFrames()).toBe(1);
    clock.advance(1);
    chat.notifyTyping();
    expect(countTypingFrames()).toBe(2);
    // Sending a message does not end the interval.
    submitMessage('hello');
    chat.notifyTyping();
    expect(countTypingFrames()).toBe(2);
  });

  it('hides that the partner is typing six seconds after the last typing frame', () => {
    const { clock, receive, matchPartner, getState } = openRandomChatPage();
    matchPartner();
    receive('typing', { sessionId: 's1', userId: partnerId });
    clock.advance(pageLimits.typingShownMs - 1);
    receive('typing', { sessionId: 's1', userId: partnerId });
    clock.advance(pageLimits.typingShownMs - 1);
    expect(getState().session?.isPartnerTyping).toBe(true);
    clock.advance(1);
    expect(getState().session?.isPartnerTyping).toBe(false);
  });
});

describe('leaving the chat page', () => {
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
    clock.advance(pageLimits.leaveChatDelayMs - 1);
    chat.show();
    clock.advance(longMs);
    await flushPromises();
    expect(getState().phase).toBe('active');
  });

  it('ends nothing while another tab shows the chat', async () => {
    const { chat, clock, chatTabs, matchPartner, getState } = openRandomChatPage();
    chatTabs.isOpenElsewhereResult = true;
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

  it('ends the chat at once through endSearchOrChat, which logout calls', () => {
    const { chat, sent, matchPartner } = openRandomChatPage();
    matchPartner();
    chat.endSearchOrChat();
    expect(sent.at(-1)).toEqual({ event: 'skip_chat', data: { sessionId: 's1' } });
  });
});

describe('New Conversation', () => {
  /** Starts a chat, which the partner skips. */
  const endChat = ({ receive, matchPartner }: RandomChatPage): void => {
    matchPartner();
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partnerId });
  };

  it('leads to the initial phase by default', () => {
    const page = openRandomChatPage();
    endChat(page);
    page.chat.startNewConversation();
    expect(page.getState().phase).toBe('initial');
  });

  it('leads to a search if the user has chosen to search at once', () => {
    const page = openRandomChatPage();
    setSearchAtOnceOn(true);
    endChat(page);
    page.chat.startNewConversation();
    expect(page.getState().phase).toBe('searching');
    expect(page.commands.at(-1)).toMatchObject({ event: 'join_queue' });
  });

  it('leads to the initial phase without a connection, even if the user has chosen to search at once', () => {
    const page = openRandomChatPage();
    setSearchAtOnceOn(true);
    endChat(page);
    page.socket.isOpen = false;
    page.chat.startNewConversation();
    expect(page.getState().phase).toBe('initial');
  });
});

describe('authenticating', () => {
  it('reports the session on the screen and the `seq` of its newest event, but only during a chat', () => {
    const { chat, receive, matchPartner } = openRandomChatPage();
    expect(chat.getLastSeen()).toBeUndefined();
    matchPartner();
    expect(chat.getLastSeen()).toEqual({ sessionId: 's1', seq: 1 });
    receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partnerId });
    expect(chat.getLastSeen()).toBeUndefined();
  });

  it('ends a chat that the server neither resumes nor ends in time', () => {
    const { clock, receive, matchPartner, getState } = openRandomChatPage();
    matchPartner();
    // The server has neither a search nor a chat for the user.
    receive('authenticated', { userId, state: 'idle' });
    expect(getState().phase).toBe('active');
    const chatEndTimeoutMs = 5_000; // as in the store, which does not export it
    clock.advance(chatEndTimeoutMs);
    expect(getState().phase).toBe('skipped');
  });

  it('keeps a chat that is resumed in time', () => {
    const { clock, receive, matchPartner, getState } = openRandomChatPage();
    matchPartner();
    receive('authenticated', { userId, state: 'idle' });
    receive('session_resumed', resumedSession);
    clock.advance(longMs);
    expect(getState().phase).toBe('active');
  });
});
