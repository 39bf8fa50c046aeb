import { type Phase } from '@/features/random-chat/reducer/random-chat.state';
import { createPagePresence } from '@/features/random-chat/stores/page-presence';
import { pageLimits } from '@/lib/page-limits';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { FakeClock } from '@/testing/fake-clock';
import { flushPromises } from '@/testing/flush-promises';

interface Announcement {
  event: string;
  data: unknown;
  reject: (error: unknown) => void;
}

const setUp = (phase: Phase = 'active') => {
  const clock = new FakeClock();
  const chat = { phase, sessionId: 's1' as string | undefined };
  const announced: Announcement[] = [];
  const ended = jest.fn(() => {
    chat.phase = 'initial';
  });
  const tabs = { elsewhere: false as boolean | undefined };
  const socket = {
    isOpen: true,
    resync: jest.fn(() => void presence.announceAtOpening()),
    send: () => true,
    request: (event: string, data: unknown) =>
      new Promise<Record<string, unknown>>((_resolve, reject) => announced.push({ event, data, reject })),
  };
  const presence = createPagePresence({
    clock,
    place: { enter: () => undefined, leave: () => undefined, isOpenElsewhere: async () => tabs.elsewhere },
    socket: () => socket,
    chat: () => chat,
    leave: ended,
  });
  return { announced, chat, clock, ended, presence, socket, tabs };
};

describe('the reported presence', () => {
  it('says in authenticate that the page shows the chat', () => {
    const { presence } = setUp();
    expect(presence.announceAtOpening()).toBe(false);
    presence.enter();
    expect(presence.announceAtOpening()).toBe(true);
  });

  it('is sent on each change during a chat, once', () => {
    const { announced, presence } = setUp();
    presence.enter();
    presence.announceAtOpening();
    presence.follow();
    expect(announced).toEqual([]);
    presence.leave();
    presence.follow();
    presence.enter();
    expect(announced.map(({ event, data }) => [event, data])).toEqual([
      ['show_chat', { sessionId: 's1', showsChat: false }],
      ['show_chat', { sessionId: 's1', showsChat: true }],
    ]);
  });

  it('is sent by authenticate while there is no chat', () => {
    const { announced, presence, socket } = setUp('initial');
    presence.announceAtOpening();
    presence.enter();
    presence.follow();
    expect(socket.resync).toHaveBeenCalledTimes(1);
    expect(announced).toEqual([]);
  });

  it('waits for the connection, and is not repeated after authenticate', () => {
    const { announced, presence, socket } = setUp();
    presence.announceAtOpening();
    socket.isOpen = false;
    presence.enter();
    expect(announced).toEqual([]);
    socket.isOpen = true;
    presence.announceAtOpening();
    presence.follow();
    expect(announced).toEqual([]);
  });

  it('is sent again after a timeout or a rate limit, not after the end of the chat', async () => {
    const { announced, clock, presence } = setUp();
    presence.announceAtOpening();
    presence.enter();
    announced[0]?.reject(new SocketRequestError('timeout'));
    await flushPromises();
    clock.advance(1_000);
    expect(announced).toHaveLength(2);
    announced[1]?.reject(new SocketRequestError('refused', 'rate_limited', 5_000));
    await flushPromises();
    clock.advance(4_999);
    expect(announced).toHaveLength(2);
    clock.advance(1);
    expect(announced).toHaveLength(3);
    announced[2]?.reject(new SocketRequestError('refused', 'session_ended'));
    await flushPromises();
    clock.advance(60_000);
    expect(announced).toHaveLength(3);
  });
});

describe('a chat or a search on a page that does not show it', () => {
  it.each(['active', 'searching'] as const)('is ended after ten seconds (%s)', async (phase) => {
    const { clock, ended, presence } = setUp(phase);
    // As when a user enters the address of the landing page and its socket resumes the chat.
    presence.follow();
    clock.advance(pageLimits.leaveChatDelayMs - 1);
    await flushPromises();
    expect(ended).not.toHaveBeenCalled();
    clock.advance(1);
    await flushPromises();
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('continues when the page shows it in time', async () => {
    const { clock, ended, presence } = setUp();
    presence.follow();
    clock.advance(9_000);
    presence.enter();
    clock.advance(60_000);
    await flushPromises();
    expect(ended).not.toHaveBeenCalled();
  });

  it('is ended after the other tab is closed', async () => {
    const { clock, ended, presence, tabs } = setUp('searching');
    tabs.elsewhere = true;
    presence.follow();
    clock.advance(pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(ended).not.toHaveBeenCalled();
    tabs.elsewhere = false;
    clock.advance(pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('is left to the server when other tabs are unknown; a search is ended', async () => {
    const { chat, clock, ended, presence, tabs } = setUp();
    tabs.elsewhere = undefined;
    presence.follow();
    clock.advance(5 * pageLimits.leaveChatDelayMs);
    await flushPromises();
    expect(ended).not.toHaveBeenCalled();
    chat.phase = 'searching';
    presence.leave();
    await flushPromises();
    expect(ended).toHaveBeenCalledTimes(1);
  });
});
