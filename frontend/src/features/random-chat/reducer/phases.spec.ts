import {
  me,
  partner,
  at,
  iso,
  type ChatDriver,
  initial,
  searching,
  chatMatched,
  active,
  skipped,
  partnerMessage,
  ack,
  sessionResumed,
  join,
  leave,
  skip,
} from '@/testing/random-chat-driver';

describe('initial phase', () => {
  it('searches with the preference both by default', () => {
    const chat = searching();
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([join('both')]);
  });

  it('searches with the chosen preference', () => {
    const chat = initial()
      .do({ type: 'preferenceChosen', preference: 'female' })
      .do({ type: 'findPressed', nowMs: at });
    expect(chat.effects).toEqual([join('female')]);
  });

  it('declines a match that it did not request, and stays (A43)', () => {
    const chat = initial().receive('chat_matched', chatMatched());
    expect(chat.state.phase).toBe('initial');
    expect(chat.effects).toEqual([skip('s1')]);
  });

  it('follows a search that another tab started, and accepts its match (A44)', () => {
    const chat = initial().receive('queue_joined', { preferences: 'male', since: iso(-5_000) });
    expect(chat.state).toMatchObject({ phase: 'searching', preference: 'male', searchingSince: at - 5_000 });
    chat.receive('chat_matched', chatMatched());
    expect(chat.state.phase).toBe('active');
    expect(chat.effects).toEqual([]);
  });

  it('returns to its chat after a reload, with one welcome (A53)', () => {
    const chat = initial()
      .receive('authenticated', { userId: me, state: 'chatting' })
      .receive(
        'session_resumed',
        sessionResumed({ seq: 2, events: [{ event: 'random_message', data: partnerMessage(2, 'hi') }] }),
      );
    expect(chat.state.phase).toBe('active');
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!', 'hi']);
  });
});

describe('searching phase', () => {
  it('returns to initial on Cancel and sends leave_queue', () => {
    const chat = searching().do({ type: 'cancelPressed' });
    expect(chat.state).toMatchObject({ phase: 'initial', isLeavePending: true });
    expect(chat.effects).toEqual([leave]);
    expect(chat.do({ type: 'leaveAcknowledged' }).state.isLeavePending).toBe(false);
  });

  it('stays cancelled when the Cancel was lost with the connection', () => {
    const chat = searching().do({ type: 'cancelPressed' });
    expect(chat.receive('authenticated', { userId: me, state: 'searching' }).effects).toEqual([leave]);
    chat.receive('queue_joined', { preferences: 'both', since: iso(-9_000) });
    expect(chat.state).toMatchObject({ phase: 'initial', isLeavePending: true });
  });

  it('opens the chat on a match, with one welcome that names the partner', () => {
    const chat = active();
    expect(chat.state.phase).toBe('active');
    expect(chat.state.session).toMatchObject({ sessionId: 's1', seq: 1, partner });
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!']);
    expect(chat.state.session?.messages[0]?.senderId).toBe(0);
  });

  it('follows a Cancel in another tab', () => {
    expect(searching().receive('queue_left', {}).state.phase).toBe('initial');
  });

  it('joins again when the server has no search after a reconnect (A45)', () => {
    const chat = searching().receive('authenticated', { userId: me, state: 'idle' });
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([join()]);
  });

  it('continues when the server is still searching', () => {
    const chat = searching().receive('authenticated', { userId: me, state: 'searching' });
    expect(chat.effects).toEqual([]);
    chat.receive('queue_joined', { preferences: 'both', since: iso(-9_000) });
    expect(chat.state).toMatchObject({ phase: 'searching', searchingSince: at - 9_000 });
  });

  it('leaves the queue after the reconnect when cancelled offline, and declines a match made in between (A46)', () => {
    const cancelled = (): ChatDriver => searching().do({ type: 'cancelPressed' });
    const stillSearching = cancelled().receive('authenticated', { userId: me, state: 'searching' });
    expect(stillSearching.effects).toEqual([leave]);
    const matched = cancelled()
      .receive('authenticated', { userId: me, state: 'chatting' })
      .receive('session_resumed', sessionResumed());
    expect(matched.effects).toEqual([skip('s1')]);
    expect(matched.state.phase).toBe('initial');
    const forgotten = cancelled().receive('authenticated', { userId: me, state: 'idle' });
    expect(forgotten.state.isLeavePending).toBe(false);
    expect(forgotten.effects).toEqual([]);
  });

  it('shows the welcome in a chat that was matched while disconnected', () => {
    const chat = searching().receive(
      'session_resumed',
      sessionResumed({ seq: 2, events: [{ event: 'random_message', data: partnerMessage(2, 'hi') }] }),
    );
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!', 'hi']);
  });

  it('takes the waiting time from the server, whatever the local clock', () => {
    const chat = searching();
    // A clock that is five minutes ahead of the server's.
    chat.receive('queue_joined', { preferences: 'both', since: iso(-300_000) });
    chat.receive('queue_status', { waitedMs: 100, anyoneMatches: true });
    expect(chat.state.searchingSince).toBe(at - 100);
  });

  it('takes from the server that no waiting user is compatible', () => {
    expect(
      searching().receive('queue_status', { waitedMs: 10_000, anyoneMatches: false }).state.anyoneMatches,
    ).toBe(false);
  });

  it('returns to initial when the server refuses the search', () => {
    expect(searching().do({ type: 'searchRefused' }).state.phase).toBe('initial');
  });

  it('leaves the queue when the user leaves the page (A59)', () => {
    const chat = searching().do({ type: 'pageLeft' });
    expect(chat.state.phase).toBe('initial');
    expect(chat.effects).toEqual([leave]);
  });

  it('ignores a second Find', () => {
    expect(searching().do({ type: 'findPressed', nowMs: at + 1 }).effects).toEqual([]);
  });
});

describe('active → searching: a confirmed skip', () => {
  it('sends skip_chat, drops the chat and joins again with the last preference (A47)', () => {
    const chat = initial()
      .do({ type: 'preferenceChosen', preference: 'male' })
      .do({ type: 'findPressed', nowMs: at })
      .receive('chat_matched', chatMatched())
      .do({ type: 'skipConfirmed', nowMs: at });
    expect(chat.state).toMatchObject({ phase: 'searching', session: null });
    expect(chat.effects).toEqual([skip('s1'), join('male')]);
  });

  it('shows no skipped screen when both users skip at the same time (A55)', () => {
    const chat = active()
      .do({ type: 'skipConfirmed', nowMs: at })
      .receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partner.id });
    expect(chat.state.phase).toBe('searching');
  });

  it('opens the next chat and ignores late frames of the old one', () => {
    const chat = active()
      .do({ type: 'skipConfirmed', nowMs: at })
      .receive('chat_matched', chatMatched('s2'))
      .receive('random_message', partnerMessage(2, 'late'))
      .receive('chat_skipped', { sessionId: 's1', seq: 3, reason: 'skipped', endedBy: me });
    expect(chat.state).toMatchObject({ phase: 'active', session: { sessionId: 's2', seq: 1 } });
    expect(chat.texts).toHaveLength(1);
  });

  it('skips again when the server did not receive the command', () => {
    const chat = active()
      .do({ type: 'skipConfirmed', nowMs: at })
      .receive('authenticated', { userId: me, state: 'chatting' })
      .receive('session_resumed', sessionResumed());
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([skip('s1'), join()]);
  });

  it('moves another tab of the same user to initial, then to searching', () => {
    const chat = active().receive('chat_skipped', {
      sessionId: 's1',
      seq: 2,
      reason: 'skipped',
      endedBy: me,
    });
    expect(chat.state.phase).toBe('initial');
    chat.receive('queue_joined', { preferences: 'both', since: iso() });
    expect(chat.state.phase).toBe('searching');
  });
});

describe('a block', () => {
  const blocks = (userId: number, isBlocked = true) => ({ userId, isBlocked });

  it.each([
    ['active', active],
    ['skipped', skipped],
  ])('of the partner leads from %s to initial, and the end of the chat changes nothing', (_, chat) => {
    const after = chat()
      .receive('block_changed', blocks(partner.id))
      .receive('chat_skipped', { sessionId: 's1', seq: 3, reason: 'skipped', endedBy: me });
    expect(after.state).toMatchObject({ phase: 'initial', session: null });
    expect(after.effects).toEqual([]);
  });

  it('of the partner shows no further frame of that chat', () => {
    const chat = active()
      .receive('block_changed', blocks(partner.id))
      .receive('random_message', partnerMessage(2, 'x'));
    expect(chat.state).toMatchObject({ phase: 'initial', session: null });
    chat.receive('session_resumed', sessionResumed());
    expect(chat.state.phase).toBe('initial');
  });

  it('of another person, or the end of a block, changes nothing', () => {
    expect(active().receive('block_changed', blocks(99)).state.phase).toBe('active');
    expect(active().receive('block_changed', blocks(partner.id, false)).state.phase).toBe('active');
    expect(searching().receive('block_changed', blocks(partner.id)).state.phase).toBe('searching');
  });
});

describe('active → skipped', () => {
  it('shows how the chat ended and keeps the partner until New Conversation (A52, A58)', () => {
    const chat = skipped();
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'skipped', session: { partner } });
    const lost = active().receive('chat_skipped', {
      sessionId: 's1',
      seq: 2,
      reason: 'disconnected',
      endedBy: null,
    });
    expect(lost.state.endReason).toBe('disconnected');
  });

  it('ignores the end of another session (A54)', () => {
    const chat = active().receive('chat_skipped', {
      sessionId: 's0',
      seq: 9,
      reason: 'skipped',
      endedBy: partner.id,
    });
    expect(chat.state.phase).toBe('active');
  });

  it('waits for the end of the chat when the server has no chat any more', () => {
    const chat = active().receive('authenticated', { userId: me, state: 'idle' });
    expect(chat.effects).toEqual([{ type: 'awaitChatEnd', sessionId: 's1' }]);
    chat.do({ type: 'sessionVanished', sessionId: 's1' });
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'disconnected' });
  });

  it('does not end a later chat when an earlier one has vanished', () => {
    const chat = active()
      .do({ type: 'skipConfirmed', nowMs: at })
      .receive('chat_matched', chatMatched('s2'))
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
    const chat = skipped().receive('random_message', partnerMessage(3, 'late'));
    chat.do(ack('c1', 'mine', 3));
    expect(chat.texts).toEqual(skipped().texts);
  });
});

describe('leaving the page in a chat', () => {
  it('skips the chat and drops it', () => {
    const chat = active().do({ type: 'pageLeft' });
    expect(chat.state).toMatchObject({ phase: 'initial', session: null });
    expect(chat.effects).toEqual([skip('s1')]);
  });
});
