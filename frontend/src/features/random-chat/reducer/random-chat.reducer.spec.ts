import { type ServerData, type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';
import { reduce } from '@/features/random-chat/reducer/random-chat.reducer';
import {
  initialState,
  type Action,
  type Effect,
  type RandomChatState,
} from '@/features/random-chat/reducer/random-chat.state';
import { aPartner } from '@/testing/factories';

const me = 7;
const partner = aPartner();
const at = Date.parse('2026-11-20T12:00:00.000Z');
const iso = (offsetMs = 0): string => new Date(at + offsetMs).toISOString();

/** A chat that is driven by actions and remembers what was to be done. */
class Driver {
  state: RandomChatState = initialState();
  effects: readonly Effect[] = [];

  do(action: Action): this {
    const step = reduce(this.state, action);
    this.state = step.state;
    this.effects = step.effects;
    return this;
  }

  hear<E extends ServerEvent>(event: E, data: ServerData<E>): this {
    return this.do({ type: 'received', frame: { event, data } as ServerFrame, me, at });
  }

  get texts(): string[] {
    return this.state.session?.messages.map(({ content }) => content) ?? [];
  }
}

const initial = (): Driver => new Driver();
const searching = (): Driver => initial().do({ type: 'findPressed', at });
const matchedWith = (sessionId = 's1'): ServerData<'chat_matched'> => ({
  sessionId,
  seq: 1,
  partnerId: partner.id,
  partnerInfo: partner,
});
const active = (): Driver => searching().hear('chat_matched', matchedWith());
const skipped = (): Driver =>
  active().hear('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partner.id });

const said = (
  seq: number,
  content: string,
  changes: Partial<ServerData<'random_message'>> = {},
): ServerData<'random_message'> => ({
  sessionId: 's1',
  seq,
  id: `${at}-${seq}`,
  senderId: partner.id,
  content,
  type: 'text',
  timestamp: iso(seq),
  replyTo: null,
  ...changes,
});
const ack = (clientId: string, content: string, seq: number): Action => ({
  type: 'acknowledged',
  sessionId: 's1',
  message: { clientId, senderId: me, content, type: 'text', replyTo: null },
  ack: { id: `${at}-${seq}`, seq, timestamp: iso(seq), clientId },
});
const resumedWith = (
  changes: Partial<ServerData<'session_resumed'>> = {},
): ServerData<'session_resumed'> => ({
  sessionId: 's1',
  seq: 1,
  partnerId: partner.id,
  partnerInfo: partner,
  partnerConnection: 'connected',
  events: [],
  last: true,
  ...changes,
});

const join = (preferences: 'both' | 'male' | 'female' = 'both'): Effect => ({
  type: 'send',
  event: 'join_queue',
  data: { preferences },
});
const leave: Effect = { type: 'send', event: 'leave_queue', data: {} };
const skip = (sessionId: string): Effect => ({ type: 'send', event: 'skip_chat', data: { sessionId } });

describe('initial', () => {
  it('searches with both by default', () => {
    const chat = searching();
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([join('both')]);
  });

  it('searches with the chosen preference', () => {
    const chat = initial()
      .do({ type: 'preferenceChosen', preference: 'female' })
      .do({ type: 'findPressed', at });
    expect(chat.effects).toEqual([join('female')]);
  });

  it('declines a match that it did not ask for, and stays (A43)', () => {
    const chat = initial().hear('chat_matched', matchedWith());
    expect(chat.state.phase).toBe('initial');
    expect(chat.effects).toEqual([skip('s1')]);
  });

  it('follows a search begun in another tab, and takes its match (A44)', () => {
    const chat = initial().hear('queue_joined', { preferences: 'male', since: iso(-5_000) });
    expect(chat.state).toMatchObject({ phase: 'searching', preference: 'male', searchingSince: at - 5_000 });
    chat.hear('chat_matched', matchedWith());
    expect(chat.state.phase).toBe('active');
    expect(chat.effects).toEqual([]);
  });

  it('comes back into its chat after a reload, with the welcome it had, and no second one (A53)', () => {
    const chat = initial()
      .hear('authenticated', { userId: me, state: 'chatting' })
      .hear(
        'session_resumed',
        resumedWith({ seq: 2, events: [{ event: 'random_message', data: said(2, 'hi') }] }),
      );
    expect(chat.state.phase).toBe('active');
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!', 'hi']);
  });
});

describe('searching', () => {
  it('returns to initial on Cancel, and tells the server', () => {
    const chat = searching().do({ type: 'cancelPressed' });
    expect(chat.state).toMatchObject({ phase: 'initial', owesLeave: true });
    expect(chat.effects).toEqual([leave]);
    expect(chat.do({ type: 'leaveAcknowledged' }).state.owesLeave).toBe(false);
  });

  it('stays cancelled when the Cancel was lost on a dying connection', () => {
    const chat = searching().do({ type: 'cancelPressed' });
    expect(chat.hear('authenticated', { userId: me, state: 'searching' }).effects).toEqual([leave]);
    chat.hear('queue_joined', { preferences: 'both', since: iso(-9_000) });
    expect(chat.state).toMatchObject({ phase: 'initial', owesLeave: true });
  });

  it('opens the chat on a match with one welcome that names the partner', () => {
    const chat = active();
    expect(chat.state.phase).toBe('active');
    expect(chat.state.session).toMatchObject({ sessionId: 's1', seq: 1, partner });
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!']);
    expect(chat.state.session?.messages[0]?.senderId).toBe(0);
  });

  it('follows a Cancel in another tab', () => {
    expect(searching().hear('queue_left', {}).state.phase).toBe('initial');
  });

  it('joins again when the server has forgotten it during a cut (A45)', () => {
    const chat = searching().hear('authenticated', { userId: me, state: 'idle' });
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([join()]);
  });

  it('stays where it is when the server still searches', () => {
    const chat = searching().hear('authenticated', { userId: me, state: 'searching' });
    expect(chat.effects).toEqual([]);
    chat.hear('queue_joined', { preferences: 'both', since: iso(-9_000) });
    expect(chat.state).toMatchObject({ phase: 'searching', searchingSince: at - 9_000 });
  });

  it('cancelled offline: leaves the queue when connected again, and declines what it was given meanwhile (A46)', () => {
    const cancelled = (): Driver => searching().do({ type: 'cancelPressed' });
    const stillSearching = cancelled().hear('authenticated', { userId: me, state: 'searching' });
    expect(stillSearching.effects).toEqual([leave]);
    const matched = cancelled()
      .hear('authenticated', { userId: me, state: 'chatting' })
      .hear('session_resumed', resumedWith());
    expect(matched.effects).toEqual([skip('s1')]);
    expect(matched.state.phase).toBe('initial');
    const forgotten = cancelled().hear('authenticated', { userId: me, state: 'idle' });
    expect(forgotten.state.owesLeave).toBe(false);
    expect(forgotten.effects).toEqual([]);
  });

  it('welcomes into a match that was made during a cut', () => {
    const chat = searching().hear(
      'session_resumed',
      resumedWith({ seq: 2, events: [{ event: 'random_message', data: said(2, 'hi') }] }),
    );
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!', 'hi']);
  });

  it('takes the waiting time from the server, whatever this clock says', () => {
    const chat = searching();
    // A clock that is five minutes ahead of the server's.
    chat.hear('queue_joined', { preferences: 'both', since: iso(-300_000) });
    chat.hear('queue_status', { waitedMs: 100, anyoneMatches: true });
    expect(chat.state.searchingSince).toBe(at - 100);
  });

  it('knows from the server when nobody matches', () => {
    expect(
      searching().hear('queue_status', { waitedMs: 10_000, anyoneMatches: false }).state.anyoneMatches,
    ).toBe(false);
  });

  it('goes back when the server refuses the search', () => {
    expect(searching().do({ type: 'searchRefused' }).state.phase).toBe('initial');
  });

  it('leaves the queue with the page (A59)', () => {
    const chat = searching().do({ type: 'chatLeft' });
    expect(chat.state.phase).toBe('initial');
    expect(chat.effects).toEqual([leave]);
  });

  it('ignores a second Find', () => {
    expect(searching().do({ type: 'findPressed', at: at + 1 }).effects).toEqual([]);
  });
});

describe('active → searching: a confirmed skip', () => {
  it('sends skip_chat, forgets the chat and joins again with the last preference (A47)', () => {
    const chat = initial()
      .do({ type: 'preferenceChosen', preference: 'male' })
      .do({ type: 'findPressed', at })
      .hear('chat_matched', matchedWith())
      .do({ type: 'skipConfirmed', at });
    expect(chat.state).toMatchObject({ phase: 'searching', session: null });
    expect(chat.effects).toEqual([skip('s1'), join('male')]);
  });

  it('shows no skipped screen when both skipped at once (A55)', () => {
    const chat = active()
      .do({ type: 'skipConfirmed', at })
      .hear('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partner.id });
    expect(chat.state.phase).toBe('searching');
  });

  it('opens the next chat and hears no more of the old one', () => {
    const chat = active()
      .do({ type: 'skipConfirmed', at })
      .hear('chat_matched', matchedWith('s2'))
      .hear('random_message', said(2, 'late'))
      .hear('chat_skipped', { sessionId: 's1', seq: 3, reason: 'skipped', endedBy: me });
    expect(chat.state).toMatchObject({ phase: 'active', session: { sessionId: 's2', seq: 1 } });
    expect(chat.texts).toHaveLength(1);
  });

  it('skips again when the server had not heard of it', () => {
    const chat = active()
      .do({ type: 'skipConfirmed', at })
      .hear('authenticated', { userId: me, state: 'chatting' })
      .hear('session_resumed', resumedWith());
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([skip('s1'), join()]);
  });

  it('moves another tab of the same person to initial, then to searching', () => {
    const chat = active().hear('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: me });
    expect(chat.state.phase).toBe('initial');
    chat.hear('queue_joined', { preferences: 'both', since: iso() });
    expect(chat.state.phase).toBe('searching');
  });
});

describe('active → skipped', () => {
  it('shows how the chat ended and keeps the partner until New Conversation (A52, A58)', () => {
    const chat = skipped();
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'skipped', session: { partner } });
    const lost = active().hear('chat_skipped', {
      sessionId: 's1',
      seq: 2,
      reason: 'disconnected',
      endedBy: null,
    });
    expect(lost.state.endReason).toBe('disconnected');
  });

  it('ignores the end of another session (A54)', () => {
    const chat = active().hear('chat_skipped', {
      sessionId: 's0',
      seq: 9,
      reason: 'skipped',
      endedBy: partner.id,
    });
    expect(chat.state.phase).toBe('active');
  });

  it('expects to be told of the end when the server knows of no chat any more', () => {
    const chat = active().hear('authenticated', { userId: me, state: 'idle' });
    expect(chat.effects).toEqual([{ type: 'expectEnd', sessionId: 's1' }]);
    chat.do({ type: 'sessionVanished', sessionId: 's1' });
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'disconnected' });
  });

  it('does not end a later chat by an old expectation', () => {
    const chat = active()
      .do({ type: 'skipConfirmed', at })
      .hear('chat_matched', matchedWith('s2'))
      .do({ type: 'sessionVanished', sessionId: 's1' });
    expect(chat.state.phase).toBe('active');
  });
});

describe('skipped → initial', () => {
  it('goes to initial on New Conversation, without searching (A57)', () => {
    const chat = skipped().do({ type: 'newConversationPressed' });
    expect(chat.state).toMatchObject({ phase: 'initial', session: null, endReason: null });
    expect(chat.effects).toEqual([]);
  });

  it('adds nothing to a chat that is over', () => {
    const chat = skipped().hear('random_message', said(3, 'late'));
    chat.do(ack('c1', 'mine', 3));
    expect(chat.texts).toEqual(skipped().texts);
  });
});

describe('leaving the page in a chat', () => {
  it('skips and forgets', () => {
    const chat = active().do({ type: 'chatLeft' });
    expect(chat.state).toMatchObject({ phase: 'initial', session: null });
    expect(chat.effects).toEqual([skip('s1')]);
  });
});

describe('messages', () => {
  it('adds what the partner says, once', () => {
    const chat = active().hear('random_message', said(2, 'hi')).hear('random_message', said(2, 'hi'));
    expect(chat.texts.slice(1)).toEqual(['hi']);
    expect(chat.state.session?.seq).toBe(2);
  });

  it('adds mine with its ack, under its clientId, with the id and the time of the server', () => {
    const chat = active().do(ack('c1', 'hello', 2));
    expect(chat.state.session?.messages.at(-1)).toMatchObject({
      id: `${at}-2`,
      key: 'c1',
      content: 'hello',
      delivery: 'sent',
      timestamp: at + 2,
    });
    expect(chat.state.session?.seq).toBe(2);
  });

  it('adds mine once, whichever of ack and frame comes first', () => {
    const frame = said(2, 'hello', { senderId: me, clientId: 'c1' });
    const ackFirst = active()
      .do(ack('c1', 'hello', 2))
      .hear('random_message', frame);
    const frameFirst = active()
      .hear('random_message', frame)
      .do(ack('c1', 'hello', 2));
    for (const chat of [ackFirst, frameFirst]) expect(chat.texts.slice(1)).toEqual(['hello']);
  });

  it('shows what I said in another tab as mine', () => {
    const chat = active().hear('random_message', said(2, 'from the phone', { senderId: me, clientId: 'x' }));
    expect(chat.state.session?.messages.at(-1)).toMatchObject({ senderId: me, delivery: 'sent', key: 'x' });
  });

  it('ignores the ack of another session', () => {
    const chat = active().do({ ...ack('c1', 'hello', 2), sessionId: 's0' } as Action);
    expect(chat.texts).not.toContain('hello');
  });
});

describe('the order of the stream', () => {
  const mine = (seq: number, clientId: string) => ({
    event: 'random_message',
    data: said(seq, clientId, { senderId: me, clientId }),
  });

  it('holds when an ack comes twice', () => {
    const chat = active()
      .do(ack('c1', 'one', 2))
      .do(ack('c2', 'two', 3))
      .do(ack('c1', 'one', 2));
    expect(chat.texts.slice(1)).toEqual(['one', 'two']);
    expect(chat.state.session?.seq).toBe(3);
  });

  it('holds when a later ack comes first', () => {
    const chat = active()
      .do(ack('c2', 'two', 3))
      .do(ack('c1', 'one', 2));
    expect(chat.texts.slice(1)).toEqual(['one', 'two']);
  });

  it('holds when what is missing comes after an ack that skipped it', () => {
    const chat = active().do(ack('c2', 'two', 5));
    chat.hear(
      'session_resumed',
      resumedWith({
        seq: 4,
        events: [
          { event: 'random_message', data: said(2, 'theirs') },
          {
            event: 'break_ice_question_received',
            data: {
              sessionId: 's1',
              seq: 3,
              gameId: 'g1',
              question: {
                id: 3,
                question: 'Tea or coffee?',
                options: ['Tea', 'Coffee'],
                category: 'love_language',
              },
              initiatorId: partner.id,
            },
          },
          mine(4, 'c1'),
        ],
      }),
    );
    expect(chat.texts.slice(1)).toEqual(['theirs', 'Tea or coffee?', 'c1', 'two']);
  });
});

describe('a hole in seq', () => {
  it('asks once for what is missing, and does not show what came after it', () => {
    const chat = active().hear('random_message', said(3, 'three'));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.texts).not.toContain('three');
    chat.hear('random_message', said(4, 'four'));
    expect(chat.effects).toEqual([]);
    chat.hear(
      'session_resumed',
      resumedWith({
        seq: 4,
        events: [said(2, 'two'), said(3, 'three'), said(4, 'four')].map((data) => ({
          event: 'random_message',
          data,
        })),
      }),
    );
    expect(chat.texts.slice(1)).toEqual(['two', 'three', 'four']);
    chat.hear('random_message', said(6, 'six'));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
  });

  it('is found by an ack as well, which still counts as sent', () => {
    const chat = active().do(ack('c1', 'hello', 3));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.texts).toContain('hello');
    chat.hear(
      'session_resumed',
      resumedWith({
        seq: 3,
        events: [
          { event: 'random_message', data: said(2, 'two') },
          { event: 'random_message', data: said(3, 'hello', { senderId: me, clientId: 'c1' }) },
        ],
      }),
    );
    expect(chat.texts.filter((text) => text === 'hello')).toHaveLength(1);
    expect(chat.state.session?.seq).toBe(3);
  });

  it('is none when an event has no frame for this client', () => {
    const chat = active()
      .hear('session_advanced', { sessionId: 's1', seq: 2 })
      .hear('random_message', said(3, 'three'));
    expect(chat.texts).toContain('three');
    expect(chat.state.session?.seq).toBe(3);
    expect(chat.effects).toEqual([]);
  });

  it('is seen when an event without a frame comes too early', () => {
    expect(active().hear('session_advanced', { sessionId: 's1', seq: 3 }).effects).toEqual([
      { type: 'resync' },
    ]);
  });

  it('is none when the event says nothing to this client', () => {
    const chat = active()
      .hear('message_edited', { sessionId: 's1', seq: 2, messageId: '1-1', newContent: 'x' })
      .hear('random_message', said(3, 'three'));
    expect(chat.texts).toContain('three');
    expect(chat.effects).toEqual([]);
  });
});

describe('a resume with a reset', () => {
  const reset = (changes: Partial<ServerData<'session_resumed'>> = {}): ServerData<'session_resumed'> =>
    resumedWith({
      reset: true,
      seq: 2,
      events: [
        { event: 'chat_matched', data: matchedWith() },
        { event: 'random_message', data: said(2, 'kept') },
      ],
      ...changes,
    });

  it('replaces what was shown, and goes on from there', () => {
    const chat = active().hear('random_message', said(2, 'kept')).hear('random_message', said(3, 'lost'));
    chat.hear('session_resumed', reset());
    expect(chat.texts.slice(1)).toEqual(['kept']);
    expect(chat.state.session?.seq).toBe(2);
    chat.hear('random_message', said(3, 'next'));
    expect(chat.texts.slice(1)).toEqual(['kept', 'next']);
    expect(chat.effects).toEqual([]);
  });

  it('replaces it with the first of several pages only', () => {
    const chat = active().hear('random_message', said(2, 'kept')).hear('random_message', said(3, 'lost'));
    chat.hear('session_resumed', reset({ last: false }));
    const more = { seq: 3, events: [{ event: 'random_message', data: said(3, 'also kept') }] };
    chat.hear('session_resumed', resumedWith(more));
    expect(chat.texts.slice(1)).toEqual(['kept', 'also kept']);
  });

  it('has messages of mine without an ack sent again, and gives back the text of an unanswered edit', () => {
    const chat = active().hear('random_message', said(2, 'mine', { senderId: me }));
    chat.do({ type: 'editSaved', changeId: 'e1', messageId: `${at}-2`, newContent: 'better', me });
    chat.hear('session_resumed', reset());
    expect(chat.effects).toEqual([
      { type: 'returnEdit', sessionId: 's1', messageId: `${at}-2`, newContent: 'better' },
      { type: 'deliverAll', sessionId: 's1' },
    ]);
    expect(chat.state.session?.unconfirmed).toEqual({});
  });
});

describe('resuming', () => {
  it('adds what was missed, in several frames, and nothing twice', () => {
    const chat = active().hear('random_message', said(2, 'two'));
    chat.hear(
      'session_resumed',
      resumedWith({
        seq: 3,
        last: false,
        events: [
          { event: 'random_message', data: said(2, 'two') },
          { event: 'random_message', data: said(3, 'three') },
        ],
      }),
    );
    chat.hear(
      'session_resumed',
      resumedWith({ seq: 4, events: [{ event: 'random_message', data: said(4, 'four') }] }),
    );
    expect(chat.texts.slice(1)).toEqual(['two', 'three', 'four']);
  });

  it('has messages of mine without an ack sent again, after the last frame', () => {
    const chat = active().hear('session_resumed', resumedWith({ last: false }));
    expect(chat.effects).toEqual([]);
    chat.hear('session_resumed', resumedWith());
    expect(chat.effects).toEqual([{ type: 'deliverAll', sessionId: 's1' }]);
  });

  it('sends edits and reactions without an answer again, and goes on showing them', () => {
    const chat = active()
      .hear('random_message', said(2, 'mine', { senderId: me }))
      .do({ type: 'editSaved', changeId: 'e1', messageId: `${at}-2`, newContent: 'better', me })
      .do({ type: 'reactionToggled', changeId: 'r1', messageId: `${at}-2`, emoji: '👍', me });
    chat.hear('session_resumed', resumedWith({ seq: 2 }));
    expect(chat.effects).toMatchObject([
      { type: 'deliverAll' },
      { type: 'edit', changeId: 'e1', data: { messageId: `${at}-2`, newContent: 'better', userId: me } },
      { type: 'react', changeId: 'r1', data: { emoji: '👍', action: 'add', userId: me } },
    ]);
    expect(chat.texts.at(-1)).toBe('better');
  });

  it('passes over events that it does not know, without losing count', () => {
    const chat = active().hear(
      'session_resumed',
      resumedWith({ seq: 5, events: [{ event: 'from_the_future', data: { seq: 5 } }] }),
    );
    expect(chat.state.session?.seq).toBe(5);
  });

  it('takes the chat of the server for the true one', () => {
    const chat = active().hear('session_resumed', resumedWith({ sessionId: 's2', seq: 1 }));
    expect(chat.state.session?.sessionId).toBe('s2');
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!']);
  });

  it('returns to initial when the chat was left in another tab, which searches again', () => {
    const chat = active().hear('authenticated', { userId: me, state: 'searching' });
    expect(chat.state.phase).toBe('initial');
    chat.hear('queue_joined', { preferences: 'both', since: iso() });
    expect(chat.state.phase).toBe('searching');
  });
});

describe('the partner', () => {
  it('types until a message, six seconds, a cut or the end', () => {
    const typing = (): Driver => active().hear('typing', { sessionId: 's1', userId: partner.id });
    expect(typing().state.session?.isPartnerTyping).toBe(true);
    expect(typing().effects).toEqual([{ type: 'expireTyping' }]);
    expect(typing().hear('random_message', said(2, 'hi')).state.session?.isPartnerTyping).toBe(false);
    expect(typing().do({ type: 'typingExpired' }).state.session?.isPartnerTyping).toBe(false);
    expect(
      typing().hear('partner_connection', { sessionId: 's1', state: 'reconnecting' }).state.session
        ?.isPartnerTyping,
    ).toBe(false);
    expect(
      typing().hear('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partner.id }).state
        .session?.isPartnerTyping,
    ).toBe(false);
  });

  it('is not typing when I type elsewhere, nor when it is another session', () => {
    expect(active().hear('typing', { sessionId: 's1', userId: me }).state.session?.isPartnerTyping).toBe(
      false,
    );
    expect(
      active().hear('typing', { sessionId: 's0', userId: partner.id }).state.session?.isPartnerTyping,
    ).toBe(false);
  });

  it('comes and goes', () => {
    const chat = active().hear('partner_connection', { sessionId: 's1', state: 'reconnecting' });
    expect(chat.state.session?.partnerConnection).toBe('reconnecting');
    chat.hear('partner_connection', { sessionId: 's1', state: 'connected' });
    expect(chat.state.session?.partnerConnection).toBe('connected');
  });
});
