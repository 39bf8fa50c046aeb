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

const setUp = (phase: Phase = 'active') => {
  const clock = new FakeClock();
  const chat = { phase, sessionId: 's1' as string | undefined };
  const requests: SentRequest[] = [];
  const endSearchOrChat = jest.fn(() => {
    chat.phase = 'initial';
  });
  /** Whether another tab shows the chat; undefined without Web Locks. */
  const otherTabs = { showChat: false as boolean | undefined };
  const socket = {
    isOpen: true,
    resync: jest.fn(() => void presence.takeShowsChat()),
    send: () => true,
    request: (event: string, data: unknown) =>
      new Promise<Record<string, unknown>>((_resolve, reject) => requests.push({ event, data, reject })),
  };
  const presence = createPagePresence({
    clock,
    openTabs: {
      enter: () => undefined,
      leave: () => undefined,
      isOpenElsewhere: async () => otherTabs.showChat,
    },
    getSocket: () => socket,
    getChat: () => chat,
    endSearchOrChat,
  });
  return { requests, chat, clock, endSearchOrChat, presence, socket, otherTabs };
};

describe('the report of whether the page shows the chat', () => {
  it('is part of authenticate', () => {
    const { presence } = setUp();
    expect(presence.takeShowsChat()).toBe(false);
    presence.show();
    expect(presence.takeShowsChat()).toBe(true);
  });

  it('is sent once for each change during a chat', () => {
    const { requests, presence } = setUp();
    presence.show();
    presence.takeShowsChat();
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

  it('causes a new authenticate when it changes while there is no chat', () => {
    const { requests, presence, socket } = setUp('initial');
    presence.takeShowsChat();
    presence.show();
    presence.update();
    expect(socket.resync).toHaveBeenCalledTimes(1);
    expect(requests).toEqual([]);
  });

  it('waits for the connection, and is not sent again after authenticate carried it', () => {
    const { requests, presence, socket } = setUp();
    presence.takeShowsChat();
    socket.isOpen = false;
    presence.show();
    expect(requests).toEqual([]);
    socket.isOpen = true;
    presence.takeShowsChat();
    presence.update();
    expect(requests).toEqual([]);
  });

  it('is retried after a timeout or a rate limit, but not after the end of the chat', async () => {
    const { requests, clock, presence } = setUp();
    presence.takeShowsChat();
    presence.show();
    requests[0]?.reject(new SocketRequestError('timeout'));
    await flushPromises();
    clock.advance(1_000);
    expect(requests).toHaveLength(2);
    requests[1]?.reject(new SocketRequestError('refused', 'rate_limited', 5_000));
    await flushPromises();
    clock.advance(4_999);
    expect(requests).toHaveLength(2);
    clock.advance(1);
    expect(requests).toHaveLength(3);
    requests[2]?.reject(new SocketRequestError('refused', 'session_ended'));
    await flushPromises();
    clock.advance(60_000);
    expect(requests).toHaveLength(3);
  });
});

describe('a chat or a search on a page that does not show it', () => {
  it.each(['active', 'searching'] as const)('is ended after ten seconds in the phase %s', async (phase) => {
    const { clock, endSearchOrChat, presence } = setUp(phase);
    // The state changes while the page shows something else: the landing page's socket has resumed the chat.
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
    clock.advance(9_000);
    presence.show();
    clock.advance(60_000);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
  });

  it('is ended only after the other tab that shows it is closed', async () => {
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

  it('is left to the server without Web Locks if it is a chat, and ended if it is a search', async () => {
    const { chat, clock, endSearchOrChat, presence, otherTabs } = setUp();
    otherTabs.showChat = undefined;
    presence.update();
    clock.advance(5 * pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(endSearchOrChat).not.toHaveBeenCalled();
    chat.phase = 'searching';
    presence.hide();
    await flushPromises();
    expect(endSearchOrChat).toHaveBeenCalledTimes(1);
  });
});
