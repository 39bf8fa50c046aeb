import { type Phase } from '@/features/random-chat/reducer/random-chat.state';
import { createPagePresence } from '@/features/random-chat/stores/page-presence';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { FakeClock } from '@/testing/fake-clock';
import { flushPromises } from '@/testing/flush-promises';

// When a page ends a search or chat that it does not show (A59 in docs/product-decisions.md):
// - after ten seconds, unless another tab of the browser shows it
// - at once, if the page leaves a search and no other tab shows it
// Without Web Locks, a page cannot find out what other tabs show. Then it ends a search as if there were no other tab,
// and leaves a chat to the server.

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
    resync: jest.fn(() => void authenticate()), // a resync sends `authenticate` again
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
  /** What the socket client does when it sends `authenticate`. @returns the `showsChat` that it sends */
  const authenticate = (): boolean => presence.takeShowsChat();
  return { authenticate, requests, clock, endSearchOrChat, presence, socket, otherTabs };
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
    expect(requests).toEqual([]); // `authenticate` has already reported it
    presence.hide();
    presence.update();
    presence.show();
    expect(requests.map(({ event, data }) => [event, data])).toEqual([
      ['show_chat', { sessionId: 's1', showsChat: false }],
      ['show_chat', { sessionId: 's1', showsChat: true }],
    ]);
  });

  it('is sent with a new authenticate when it changes outside a chat', () => {
    const { authenticate, requests, presence, socket } = setUp('initial');
    authenticate();
    presence.show();
    presence.update();
    expect(socket.resync).toHaveBeenCalledTimes(1);
    expect(requests).toEqual([]);
  });

  it('is only part of authenticate when it changes while the page is disconnected', () => {
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
});

describe('a show_chat that fails', () => {
  /** A page that has sent its first `show_chat`. */
  const setUpWithRequest = () => {
    const page = setUp();
    page.authenticate();
    page.presence.show();
    expect(page.requests).toHaveLength(1);
    /** Lets the first request fail. */
    const fail = async (error: SocketRequestError): Promise<void> => {
      page.requests[0]?.reject(error);
      await flushPromises();
    };
    return { ...page, fail };
  };

  it('is sent again a second after a timeout', async () => {
    const { clock, fail, requests } = setUpWithRequest();
    await fail(new SocketRequestError('timeout'));
    clock.advance(1_000);
    expect(requests).toHaveLength(2);
  });

  it('is sent again a second after the server could not store it', async () => {
    const { clock, fail, requests } = setUpWithRequest();
    await fail(new SocketRequestError('refused', 'unavailable'));
    clock.advance(1_000);
    expect(requests).toHaveLength(2);
  });

  it('is sent again after the delay of a rate limit', async () => {
    const { clock, fail, requests } = setUpWithRequest();
    const retryAfterMs = 5_000;
    await fail(new SocketRequestError('refused', 'rate_limited', retryAfterMs));
    clock.advance(retryAfterMs - 1);
    expect(requests).toHaveLength(1);
    clock.advance(1);
    expect(requests).toHaveLength(2);
  });

  it('is not sent again if the chat has ended', async () => {
    const { clock, fail, requests } = setUpWithRequest();
    await fail(new SocketRequestError('refused', 'session_ended'));
    clock.advance(longMs);
    expect(requests).toHaveLength(1);
  });
});

describe('a chat or a search on a page that does not show it', () => {
  /** A page that shows something else, such as the landing page, when its socket resumes a chat or search. */
  const setUpUnseen = (phase: Phase = 'active') => {
    const page = setUp(phase);
    page.presence.update();
    return page;
  };

  it.each(['active', 'searching'] as const)('is ended after ten seconds in the phase %s', async (phase) => {
    const { clock, endSearchOrChat } = setUpUnseen(phase);
    clock.advance(pageLimits.leaveChatDelayMs - 1);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
    clock.advance(1);
    await flushPromises();
    expect(endSearchOrChat).toHaveBeenCalledTimes(1);
  });

  it('continues when the page shows it within ten seconds', async () => {
    const { clock, endSearchOrChat, presence } = setUpUnseen();
    clock.advance(pageLimits.leaveChatDelayMs - 1);
    presence.show();
    clock.advance(longMs);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
  });

  it('is not ended before the other tab that shows it is closed', async () => {
    const { clock, endSearchOrChat, otherTabs } = setUpUnseen('searching');
    otherTabs.showChat = true;
    clock.advance(pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
    otherTabs.showChat = false;
    clock.advance(pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(endSearchOrChat).toHaveBeenCalledTimes(1);
  });

  it('is left to the server, if it is a chat in a browser without Web Locks', async () => {
    const { clock, endSearchOrChat, otherTabs } = setUpUnseen();
    otherTabs.showChat = undefined;
    // The page checks again after each delay.
    clock.advance(5 * pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
  });

  it('is ended at once, not after ten seconds, if it is a search that the page leaves, even without Web Locks', async () => {
    const { endSearchOrChat, presence, otherTabs } = setUp('searching');
    otherTabs.showChat = undefined;
    presence.show();
    presence.hide();
    await flushPromises();
    expect(endSearchOrChat).toHaveBeenCalledTimes(1);
  });
});
