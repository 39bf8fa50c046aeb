import { limits } from '@thaw/contract/limits';
import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { createRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { pageLimits } from '@/lib/page-limits';
import { type RequestOptions } from '@/lib/socket/socket-client';
import { SocketRequestError } from '@/lib/socket/socket-request-error';
import { signIn, signOut } from '@/product/identity';
import { chooseSearchAtOnce } from '@/product/search-at-once';
import { aPartner, aUser } from '@/testing/factories';
import { FakeClock } from '@/testing/fake-clock';

interface Asked {
  event: string;
  data: unknown;
  options: RequestOptions | undefined;
  reject: (error: unknown) => void;
}

const resumed: ServerData<'session_resumed'> = {
  sessionId: 's1',
  seq: 1,
  partnerId: 12,
  partnerInfo: aPartner(),
  partnerConnection: 'connected',
  events: [],
  last: true,
};

const setUp = ({ isReload = false } = {}) => {
  localStorage.clear();
  if (!isReload) sessionStorage.clear();
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
    elsewhere: false as boolean | undefined,
    enter: jest.fn(),
    leave: jest.fn(),
    isOpenElsewhere: async () => place.elsewhere,
  };
  const chat = createRandomChat({ clock, newId: () => `c${(ids += 1)}`, place });
  chat.connect(socket);
  chat.reset();
  chat.enter();
  const hear = <E extends ServerEvent>(event: E, data: ServerData<E>): void =>
    chat.receive({ event, data } as ServerFrame);
  const match = (sessionId = 's1'): void => {
    chat.find();
    hear('chat_matched', { sessionId, seq: 1, partnerId: 12, partnerInfo: aPartner() });
  };
  const state = () => chat.useStore.getState();
  const outgoing = () => chat.outbox.useStore.getState().messages;
  return { chat, place, clock, socket, sent, asked, hear, match, state, outgoing };
};

const say = ({ outbox: send }: ReturnType<typeof setUp>['chat'], content: string) =>
  send.submit('s1', { text: content, attachment: null, replyTo: null });

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

const stored = { id: '1763640000000-0', seq: 2, timestamp: '2026-11-20T12:00:00.000Z' };

describe('a message of mine', () => {
  it('asks for an ack with its own clientId, and is in the chat with the ack', () => {
    const { chat, asked, match, state, outgoing } = setUp();
    match();
    expect(say(chat, 'hello')).toBe(true);
    const request = asked.at(-1);
    expect(request).toMatchObject({
      event: 'random_message',
      data: { sessionId: 's1', content: 'hello', messageType: 'text', clientId: 'c1' },
    });
    request?.options?.onAck?.({ ...stored, clientId: 'c1' });
    expect(state().session?.messages.at(-1)).toMatchObject({ delivery: 'sent', id: '1763640000000-0' });
    expect(outgoing()).toEqual([]);
  });

  it('is not sent while not connected, and only logged (A114)', () => {
    const { chat, socket, match, outgoing } = setUp();
    match();
    socket.isOpen = false;
    expect(say(chat, 'hello')).toBe(false);
    expect(outgoing()).toEqual([]);
    expect(warn).toHaveBeenCalled();
  });

  it('is sent again with the resume, unless it had arrived', async () => {
    const { chat, asked, match, hear, outgoing } = setUp();
    match();
    say(chat, 'arrived');
    say(chat, 'lost');
    for (const { reject } of asked.slice(1)) reject(new SocketRequestError('closed'));
    await settled();
    const before = asked.length;
    hear('session_resumed', {
      ...resumed,
      seq: 2,
      events: [
        {
          event: 'random_message',
          data: {
            ...stored,
            sessionId: 's1',
            senderId: 7,
            content: 'arrived',
            type: 'text',
            replyTo: null,
            clientId: 'c1',
          },
        },
      ],
    });
    expect(outgoing().map(({ clientId }) => clientId)).toEqual(['c2']);
    expect(asked.slice(before)).toMatchObject([{ event: 'random_message', data: { clientId: 'c2' } }]);
  });

  it('survives a reload of the page, and is sent with the resume of its chat', () => {
    const before = setUp();
    before.match();
    say(before.chat, 'hello');
    const { hear, asked } = setUp({ isReload: true });
    hear('authenticated', { userId: 7, state: 'chatting' });
    expect(asked).toEqual([]);
    hear('session_resumed', resumed);
    expect(asked).toMatchObject([{ data: { sessionId: 's1', content: 'hello', clientId: 'c1' } }]);
  });

  it('ends with its chat, with another chat after a reload, and with the session of the user', () => {
    const { chat, match, hear, outgoing } = setUp();
    match();
    say(chat, 'hello');
    hear('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: 12 });
    expect(outgoing()).toEqual([]);
    chat.newConversation();
    match('s2');
    chat.outbox.submit('s2', { text: 'again', attachment: null, replyTo: null });
    const reloaded = setUp({ isReload: true });
    expect(reloaded.outgoing()).toHaveLength(1);
    reloaded.hear('authenticated', { userId: 7, state: 'idle' });
    expect(reloaded.outgoing()).toEqual([]);
    reloaded.match('s3');
    reloaded.chat.outbox.submit('s3', { text: 'more', attachment: null, replyTo: null });
    sessionStorage.setItem('thaw-draft', 'half a sentence');
    signOut();
    reloaded.chat.reset();
    expect(sessionStorage).toHaveLength(0);
  });

  it('asks for the state of things when the server says that the chat is over', async () => {
    const { chat, asked, match, socket } = setUp();
    match();
    say(chat, 'hello');
    asked.at(-1)?.reject(new SocketRequestError('refused', 'session_ended'));
    await settled();
    expect(socket.resyncs).toBe(1);
  });
});

describe('an edit or a reaction of mine', () => {
  const withMessage = () => {
    const page = setUp();
    page.match();
    say(page.chat, 'helo');
    page.asked.at(-1)?.options?.onAck?.({ ...stored, clientId: 'c1' });
    const edits = () => page.asked.filter(({ event }) => event === 'message_edit');
    return {
      ...page,
      edits,
      content: () => page.state().session?.messages.at(-1)?.content,
      returned: () => page.chat.outbox.useStore.getState().returnedEdits,
      notice: () => page.chat.outbox.useStore.getState().notice?.kind,
    };
  };

  it('survives a cut, and is sent again with the resume', async () => {
    const { chat, hear, edits, content, returned } = withMessage();
    chat.edit(stored.id, 'hello');
    edits()[0]?.reject(new SocketRequestError('closed'));
    await settled();
    expect(content()).toBe('hello');
    hear('session_resumed', { ...resumed, seq: 2 });
    expect(edits()).toHaveLength(2);
    edits()[1]?.options?.onAck?.({ seq: 3 });
    expect(content()).toBe('hello');
    expect(returned()).toEqual([]);
  });

  it('is sent once while its answer is under way', () => {
    const { chat, hear, edits } = withMessage();
    chat.edit(stored.id, 'hello');
    hear('session_resumed', { ...resumed, seq: 2 });
    expect(edits()).toHaveLength(1);
  });

  it.each([
    [new SocketRequestError('timeout'), 'edit_not_saved'],
    [new SocketRequestError('refused', 'internal'), 'edit_not_saved'],
    [new SocketRequestError('refused', 'rate_limited', 900), 'edit_too_fast'],
  ])('is undone on %s, and its text is given back', async (error, kind) => {
    const { chat, edits, content, returned, notice } = withMessage();
    chat.edit(stored.id, 'hello');
    edits()[0]?.reject(error);
    await settled();
    expect(content()).toBe('helo');
    expect(returned()).toEqual([{ conversationId: 's1', messageId: stored.id, text: 'hello' }]);
    expect(notice()).toBe(kind);
  });

  it('has a notice of its own where it was a reaction', async () => {
    const { chat, asked, notice } = withMessage();
    chat.react(stored.id, '👍');
    asked.at(-1)?.reject(new SocketRequestError('refused', 'rate_limited', 900));
    await settled();
    expect(notice()).toBe('reaction_too_fast');
  });

  it('is not taken while not connected', () => {
    const { chat, socket, edits } = withMessage();
    socket.isOpen = false;
    expect(chat.edit(stored.id, 'hello')).toBe(false);
    expect(chat.react(stored.id, '👍')).toBe(false);
    expect(edits()).toEqual([]);
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
    clock.advance(pageLimits.typingShownMs - 1);
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
    const { chat, asked, state } = setUp();
    chat.find();
    chat.leave();
    await settled();
    expect(state().phase).toBe('initial');
    expect(asked.at(-1)).toMatchObject({ event: 'leave_queue', data: {} });
  });

  it('skips a chat after ten seconds', async () => {
    const { chat, clock, sent, match, state } = setUp();
    match();
    chat.leave();
    clock.advance(pageLimits.leaveChatDelayMs - 1);
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
    clock.advance(pageLimits.leaveChatDelayMs);
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

describe('a queue command that is not answered', () => {
  const unanswered = async (asked: Asked[], event: string): Promise<void> => {
    const request = asked.findLast((each) => each.event === event);
    request?.reject(new SocketRequestError('timeout'));
    await settled();
  };
  const count = (asked: Asked[], event: string): number =>
    asked.filter((each) => each.event === event).length;

  it('asks to join again while the search is wanted', async () => {
    const { chat, asked, state } = setUp();
    chat.find();
    await unanswered(asked, 'join_queue');
    expect(count(asked, 'join_queue')).toBe(2);
    expect(state().phase).toBe('searching');
    chat.cancel();
    await unanswered(asked, 'join_queue');
    expect(count(asked, 'join_queue')).toBe(2);
  });

  it('asks to leave again until that is acknowledged', async () => {
    const { chat, asked, state } = setUp();
    chat.find();
    chat.cancel();
    await unanswered(asked, 'leave_queue');
    expect(count(asked, 'leave_queue')).toBe(2);
    asked.at(-1)?.options?.onAck?.({});
    expect(state().owesLeave).toBe(false);
    await unanswered(asked, 'leave_queue');
    expect(count(asked, 'leave_queue')).toBe(2);
  });
});

describe('New Conversation', () => {
  const end = ({ hear, match }: ReturnType<typeof setUp>): void => {
    match();
    hear('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: 12 });
  };

  it('leads to the initial stage, or searches at once where that is chosen (A57)', () => {
    const made = setUp();
    end(made);
    made.chat.newConversation();
    expect(made.state().phase).toBe('initial');
    chooseSearchAtOnce(true);
    end(made);
    made.chat.newConversation();
    expect(made.state().phase).toBe('searching');
    expect(made.asked.at(-1)).toMatchObject({ event: 'join_queue' });
  });

  it('waits for the connection before it searches', () => {
    const made = setUp();
    chooseSearchAtOnce(true);
    end(made);
    made.socket.isOpen = false;
    made.chat.newConversation();
    expect(made.state().phase).toBe('initial');
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

  it('does not give a chat up that is resumed after all', () => {
    const { clock, hear, match, state } = setUp();
    match();
    hear('authenticated', { userId: 7, state: 'idle' });
    hear('session_resumed', {
      sessionId: 's1',
      seq: 1,
      partnerId: 12,
      partnerInfo: aPartner(),
      partnerConnection: 'connected',
      events: [],
      last: true,
    });
    clock.advance(60_000);
    expect(state().phase).toBe('active');
  });
});
