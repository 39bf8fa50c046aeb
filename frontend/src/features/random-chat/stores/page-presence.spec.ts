import { type Phase } from '@/features/random-chat/reducer/random-chat.state';
import { createPagePresence } from '@/features/random-chat/stores/page-presence';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { FakeClock } from '@/testing/fake-clock';
import { flushPromises } from '@/testing/flush-promises';

interface SentRequest {
  event: string;
  data: unknown;
  reject: (error: unknown) => void;
}

/** Long after any timer of the page would have ended. */
const longMs = 60_000;

/** A connected page with the session s1 in this phase. The page does not show the chat yet. */
const setUp = (phase: Phase = 'active') => {
  const clock = new FakeClock();
  const chat = { phase, sessionId: 's1' };
  const requests: SentRequest[] = [];
  const endSearchOrChat = jest.fn(() => {
    chat.phase = 'initial';
  });
  /** `showChat` is undefined in a browser without Web Locks, where a page cannot find out what other tabs show. */
  const otherTabs = { showChat: false as boolean | undefined };
  const socket = {
    isOpen: true,
    // A resync sends `authenticate`.
    resync: jest.fn(() => void authenticate()),
    send: () => true,
    request: (event: string, data: unknown) =>
      new Promise<Record<string, unknown>>((_resolve, reject) => requests.push({ event, data, reject })),
  };
  const presence = createPagePresence({
    clock,
    chatTabs: {
      enter: () => undefined,
      leave: () => undefined,
      isOpenElsewhere: async () => otherTabs.showChat,
    },
    getSocket: () => socket,
    getChat: () => chat,
    endSearchOrChat,
  });
  /** Stands for sending `authenticate`: returns its `showsChat`, which then counts as reported. */
  const authenticate = (): boolean => presence.takeShowsChat();
  return { authenticate, requests, chat, clock, endSearchOrChat, presence, socket, otherTabs };
};

describe('the report to the server whether the page shows the chat', () => {
  it('is part of authenticate', () => {
    const { authenticate, presence } = setUp();
    expect(authenticate()).toBe(false);
    presence.show();
    expect(authenticate()).toBe(true);
  });

  it('is sent as show_chat once for each change during a chat', () => {
    const { authenticate, requests, presence } = setUp();
    presence.show();
    authenticate();
    presence.update();
    expect(requests).toEqual([]);
    presence.hide();
    presence.update();
    presence.show();
    expect(requests.map(({ event, data }) => [event, data])).toEqual([
      ['show_chat', { sessionId: 's1', showsChat: false }],
      ['show_chat', { sessionId: 's1', showsChat: true }],
    ]);
  });

  it('causes a new authenticate when it changes outside a chat', () => {
    const { authenticate, requests, presence, socket } = setUp('initial');
    authenticate();
    presence.show();
    presence.update();
    expect(socket.resync).toHaveBeenCalledTimes(1);
    expect(requests).toEqual([]);
  });

  it('is not sent while disconnected, nor after a reconnect whose `authenticate` contains it', () => {
    const { authenticate, requests, presence, socket } = setUp();
    authenticate();
    socket.isOpen = false;
    presence.show();
    expect(requests).toEqual([]);
    socket.isOpen = true;
    authenticate();
    presence.update();
    expect(requests).toEqual([]);
  });

  it('is retried after a timeout or a rate limit, but not after the end of the chat', async () => {
    const { authenticate, requests, clock, presence } = setUp();
    authenticate();
    presence.show();
    requests[0]?.reject(new SocketRequestError('timeout'));
    await flushPromises();
    const defaultRetryDelayMs = 1_000;
    clock.advance(defaultRetryDelayMs);
    expect(requests).toHaveLength(2);
    const retryAfterMs = 5_000;
    requests[1]?.reject(new SocketRequestError('refused', 'rate_limited', retryAfterMs));
    await flushPromises();
    clock.advance(retryAfterMs - 1);
    expect(requests).toHaveLength(2);
    clock.advance(1);
    expect(requests).toHaveLength(3);
    requests[2]?.reject(new SocketRequestError('refused', 'session_ended'));
    await flushPromises();
    clock.advance(longMs);
    expect(requests).toHaveLength(3);
  });
});

describe('a chat or a search on a page that does not show it', () => {
  it.each(['active', 'searching'] as const)('is ended after ten seconds in the phase %s', async (phase) => {
    const { clock, endSearchOrChat, presence } = setUp(phase);
    // The chat or search starts while the page shows something else, for example the landing page, whose socket
    // resumes it.
    presence.update();
    clock.advance(pageLimits.leaveChatDelayMs - 1);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
    clock.advance(1);
    await flushPromises();
    expect(endSearchOrChat).toHaveBeenCalledTimes(1);
  });

  it('continues when the page shows it within ten seconds', async () => {
    const { clock, endSearchOrChat, presence } = setUp();
    presence.update();
    clock.advance(pageLimits.leaveChatDelayMs - 1);
    presence.show();
    clock.advance(longMs);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
  });

  it('is not ended before the other tab that shows it is closed', async () => {
    const { clock, endSearchOrChat, presence, otherTabs } = setUp('searching');
    otherTabs.showChat = true;
    presence.update();
    clock.advance(pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
    otherTabs.showChat = false;
    clock.advance(pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(endSearchOrChat).toHaveBeenCalledTimes(1);
  });

  it('is ended in a browser without Web Locks only if it is a search: the server ends chats itself', async () => {
    const { chat, clock, endSearchOrChat, presence, otherTabs } = setUp();
    otherTabs.showChat = undefined;
    presence.update();
    // The page checks again after each delay.
    clock.advance(5 * pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
    chat.phase = 'searching';
    // A search ends at once when the page leaves it.
    presence.hide();
    await flushPromises();
    expect(endSearchOrChat).toHaveBeenCalledTimes(1);
  });
});
