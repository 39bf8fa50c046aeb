import { limits } from '@thaw/contract/limits';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { createRandomChat } from '@/features/random-chat/random-chat.store';
import { signIn, signOut } from '@/lib/identity';
import { type RequestOptions } from '@/lib/socket/socket-client';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { aPartner, aUser } from '@/testing/factories';
import { FakeClock } from '@/testing/fake-clock';

interface Asked {
  event: string;
  data: unknown;
  options: RequestOptions | undefined;
  reject: (error: unknown) => void;
}

const setUp = () => {
  localStorage.clear();
  signIn(aUser());
  const clock = new FakeClock();
  const sent: { event: string; data: unknown }[] = [];
  const asked: Asked[] = [];
  const socket = {
    isOpen: true,
    resyncs: 0,
    send: (event: string, data: unknown) => {
      if (socket.isOpen) sent.push({ event, data });
      return socket.isOpen;
    },
    request: (event: string, data: unknown, options?: RequestOptions) =>
      new Promise<Record<string, unknown>>((_resolve, reject) =>
        asked.push({ event, data, options, reject }),
      ),
    resync: () => (socket.resyncs += 1),
  };
  let ids = 0;
  const place = {
    elsewhere: false,
    enter: jest.fn(),
    leave: jest.fn(),
    isOpenElsewhere: async () => place.elsewhere,
  };
  const chat = createRandomChat({ clock, newId: () => `c${(ids += 1)}`, place });
  chat.connect(socket);
  const hear = <E extends ServerEvent>(event: E, data: ServerData<E>): void =>
    chat.receive({ event, data } as ServerFrame);
  const match = (): void => {
    chat.find();
    hear('chat_matched', { sessionId: 's1', seq: 1, partnerId: 12, partnerInfo: aPartner() });
  };
  const state = () => chat.useStore.getState();
  return { chat, place, clock, socket, sent, asked, hear, match, state };
};

const say = ({ say: send }: ReturnType<typeof setUp>['chat'], content: string) =>
  send({ content, type: 'text', replyTo: null });

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

let warn: jest.SpyInstance;
beforeEach(() => {
  warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  warn.mockRestore();
  signOut();
});

describe('saying something', () => {
  it('trims, asks for an ack with its own clientId, and is sent with the ack', () => {
    const { chat, asked, match, state } = setUp();
    match();
    expect(say(chat, '  hello  ')).toBe('sent');
    const request = asked.at(-1);
    expect(request).toMatchObject({
      event: 'random_message',
      data: { sessionId: 's1', content: 'hello', messageType: 'text', clientId: 'c1' },
    });
    request?.options?.onAck?.({
      id: '1763640000000-0',
      seq: 2,
      timestamp: '2026-11-20T12:00:00.000Z',
      clientId: 'c1',
    });
    expect(state().session?.messages.at(-1)).toMatchObject({ delivery: 'sent', id: '1763640000000-0' });
  });

  it('says nothing when there is nothing but blanks', () => {
    const { chat, asked, match } = setUp();
    match();
    const before = asked.length;
    expect(say(chat, ' \n ')).toBe('nothing_to_send');
    expect(asked).toHaveLength(before);
  });

  it('adds no bubble while not connected, and only logs (A114)', () => {
    const { chat, socket, match, state } = setUp();
    match();
    socket.isOpen = false;
    expect(say(chat, 'hello')).toBe('not_connected');
    expect(state().session?.messages).toHaveLength(1);
    expect(warn).toHaveBeenCalled();
  });

  it('gives the text back when the server asks for a pause, and says so for that long (A90)', async () => {
    const { chat, clock, asked, match, state } = setUp();
    match();
    const take = jest.fn();
    chat.onReturned(take);
    say(chat, 'hello');
    asked.at(-1)?.reject(new SocketRequestError('refused', 'rate_limited', 900));
    await settled();
    expect(take).toHaveBeenCalledWith({ content: 'hello', type: 'text' });
    expect(state().session?.messages).toHaveLength(1);
    expect(state().isTooFast).toBe(true);
    clock.advance(900);
    expect(state().isTooFast).toBe(false);
  });

  it.each([
    ['timeout', undefined],
    ['refused', 'internal'],
    ['refused', 'unavailable'],
  ] as const)('fails on %s %s', async (failure, code) => {
    const { chat, asked, match, state } = setUp();
    match();
    say(chat, 'hello');
    asked.at(-1)?.reject(new SocketRequestError(failure, code));
    await settled();
    expect(state().session?.messages.at(-1)?.delivery).toBe('failed');
    chat.retry('c1');
    expect(asked.at(-1)?.data).toMatchObject({ clientId: 'c1', content: 'hello' });
  });

  it('stays on its way over a cut', async () => {
    const { chat, asked, match, state } = setUp();
    match();
    say(chat, 'hello');
    asked.at(-1)?.reject(new SocketRequestError('closed'));
    await settled();
    expect(state().session?.messages.at(-1)?.delivery).toBe('sending');
  });

  it('asks how things stand when the server says that the chat is over', async () => {
    const { chat, asked, match, socket } = setUp();
    match();
    say(chat, 'hello');
    asked.at(-1)?.reject(new SocketRequestError('refused', 'session_ended'));
    await settled();
    expect(socket.resyncs).toBe(1);
  });

  it('does not retry while not connected', () => {
    const { chat, socket, match } = setUp();
    match();
    socket.isOpen = false;
    expect(chat.retry('c1')).toBe('not_connected');
  });
});

describe('typing', () => {
  it('is told at most every two seconds', () => {
    const { chat, clock, sent, match } = setUp();
    match();
    const count = (): number => sent.filter(({ event }) => event === 'typing').length;
    chat.typed();
    chat.typed();
    expect(count()).toBe(1);
    clock.advance(limits.typingEveryMs - 1);
    chat.typed();
    expect(count()).toBe(1);
    clock.advance(1);
    chat.typed();
    expect(count()).toBe(2);
    say(chat, 'hello');
    chat.typed();
    expect(count()).toBe(2);
  });

  it('of the partner is dropped after six seconds, counted from the last', () => {
    const { clock, hear, match, state } = setUp();
    match();
    hear('typing', { sessionId: 's1', userId: 12 });
    clock.advance(4_000);
    hear('typing', { sessionId: 's1', userId: 12 });
    clock.advance(limits.typingShownMs - 1);
    expect(state().session?.isPartnerTyping).toBe(true);
    clock.advance(1);
    expect(state().session?.isPartnerTyping).toBe(false);
  });
});

describe('searching', () => {
  it('waits as long as the server asks, and joins again', async () => {
    const { chat, clock, asked } = setUp();
    chat.find();
    asked.at(-1)?.reject(new SocketRequestError('refused', 'rate_limited', 700));
    await settled();
    expect(asked).toHaveLength(1);
    clock.advance(700);
    expect(asked).toHaveLength(2);
  });

  it('tells of a refusal, and goes back', async () => {
    const { chat, asked, state } = setUp();
    chat.find();
    asked.at(-1)?.reject(new SocketRequestError('refused', 'unavailable'));
    await settled();
    expect(state()).toMatchObject({ phase: 'initial', refusals: 1 });
  });

  it('asks how things stand when there is a chat already', async () => {
    const { chat, asked, socket, state } = setUp();
    chat.find();
    asked.at(-1)?.reject(new SocketRequestError('refused', 'already_in_session'));
    await settled();
    expect(socket.resyncs).toBe(1);
    expect(state().phase).toBe('searching');
  });

  it('remembers the preference of each person (A48)', () => {
    const { chat, state } = setUp();
    chat.choosePreference('female');
    signIn(aUser({ id: 8 }));
    chat.reset();
    expect(state().preference).toBe('both');
    signIn(aUser({ id: 7 }));
    chat.reset();
    expect(state().preference).toBe('female');
  });
});

describe('leaving /chat inside the application (A59)', () => {
  it('ends a search at once', async () => {
    const { chat, sent, state } = setUp();
    chat.find();
    chat.leave();
    await settled();
    expect(state().phase).toBe('initial');
    expect(sent.at(-1)).toEqual({ event: 'leave_queue', data: {} });
  });

  it('skips a chat after ten seconds', async () => {
    const { chat, clock, sent, match, state } = setUp();
    match();
    chat.leave();
    clock.advance(limits.leaveChatDelayMs - 1);
    await settled();
    expect(state().phase).toBe('active');
    clock.advance(1);
    await settled();
    expect(state().phase).toBe('initial');
    expect(sent.at(-1)).toEqual({ event: 'skip_chat', data: { sessionId: 's1' } });
  });

  it('keeps the chat of whoever is back in time', async () => {
    const { chat, clock, match, state } = setUp();
    match();
    chat.leave();
    clock.advance(9_000);
    chat.enter();
    clock.advance(60_000);
    await settled();
    expect(state().phase).toBe('active');
  });

  it('ends nothing while another tab shows the chat', async () => {
    const { chat, clock, place, match, state } = setUp();
    place.elsewhere = true;
    chat.find();
    chat.leave();
    await settled();
    expect(state().phase).toBe('searching');
    chat.enter();
    match();
    chat.leave();
    clock.advance(limits.leaveChatDelayMs);
    await settled();
    expect(state().phase).toBe('active');
  });

  it('ends it at once on logout', () => {
    const { chat, sent, match } = setUp();
    match();
    chat.leaveNow();
    expect(sent.at(-1)).toEqual({ event: 'skip_chat', data: { sessionId: 's1' } });
  });
});

describe('authenticating', () => {
  it('tells the version that is shown, in a chat only', () => {
    const { chat, hear, match } = setUp();
    expect(chat.lastSeen()).toBeUndefined();
    match();
    expect(chat.lastSeen()).toEqual({ sessionId: 's1', seq: 1 });
    hear('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: 12 });
    expect(chat.lastSeen()).toBeUndefined();
  });

  it('gives a chat up that the server neither resumes nor ends', () => {
    const { clock, hear, match, state } = setUp();
    match();
    hear('authenticated', { userId: 7, state: 'idle' });
    expect(state().phase).toBe('active');
    clock.advance(5_000);
    expect(state().phase).toBe('skipped');
  });
});
