import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import {
  me,
  partner,
  receivedAtMs,
  formatIsoAtOffset,
  type ChatDriver,
  driveToInitial,
  driveToSearching,
  createChatMatchedData,
  driveToActive,
  driveToSkippedByPartner,
  createMessageData,
  createAckAction,
  createSessionResumedData,
  createJoinEffect,
  leaveEffect,
  createSkipEffect,
} from '@/testing/random-chat-driver';

// The drivers take a chat to a phase: from initial to searching, then to active by a match (session s1, `seq` 1), then
// to skipped by a skip of the partner. The frame `chat_skipped` reports every end of a chat, and its `reason` says how.
// `effects` are those of the last action or frame. `formatIsoAtOffset(n)` is the time n ms after `receivedAtMs`.

describe('initial phase', () => {
  it('searches with the preference both by default', () => {
    const chat = driveToSearching();
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([createJoinEffect('both')]);
  });

  it('searches with the chosen preference', () => {
    const chat = driveToInitial()
      .dispatch({ type: 'preferenceChosen', preference: 'female' })
      .dispatch({ type: 'findPressed', nowMs: receivedAtMs });
    expect(chat.effects).toEqual([createJoinEffect('female')]);
  });

  it('declines a match that the user did not request, and stays in the phase', () => {
    const chat = driveToInitial().receive('chat_matched', createChatMatchedData());
    expect(chat.state.phase).toBe('initial');
    expect(chat.effects).toEqual([createSkipEffect('s1')]);
  });

  it('follows a search that another tab started, and accepts its match', () => {
    const chat = driveToInitial().receive('queue_joined', {
      preferences: 'male',
      since: formatIsoAtOffset(-5_000),
    });
    expect(chat.state).toMatchObject({
      phase: 'searching',
      preference: 'male',
      searchingSince: receivedAtMs - 5_000,
    });
    chat.receive('chat_matched', createChatMatchedData());
    expect(chat.state.phase).toBe('active');
    expect(chat.effects).toEqual([]);
  });

  it('returns to the chat after a reload, with one welcome notice', () => {
    const chat = driveToInitial()
      .receive('authenticated', { userId: me, state: 'chatting' })
      .receive(
        'session_resumed',
        createSessionResumedData({
          seq: 2,
          events: [{ event: 'random_message', data: createMessageData(2, 'hi') }],
        }),
      );
    expect(chat.state.phase).toBe('active');
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!', 'hi']);
  });
});

describe('searching phase', () => {
  it('returns to initial on Cancel and sends leave_queue, which is pending until its acknowledgement', () => {
    const chat = driveToSearching().dispatch({ type: 'cancelPressed' });
    expect(chat.state).toMatchObject({ phase: 'initial', isLeavePending: true });
    expect(chat.effects).toEqual([leaveEffect]);
    expect(chat.dispatch({ type: 'leaveAcknowledged' }).state.isLeavePending).toBe(false);
  });

  it('opens the chat on a match, with one welcome notice that names the partner', () => {
    const chat = driveToActive();
    expect(chat.state.phase).toBe('active');
    expect(chat.state.session).toMatchObject({ sessionId: 's1', seq: 1, partner });
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!']);
    expect(chat.state.session?.messages[0]?.senderId).toBe(SYSTEM_SENDER_ID);
  });

  it('follows a Cancel in another tab', () => {
    expect(driveToSearching().receive('queue_left', {}).state.phase).toBe('initial');
  });

  it('joins again when the server has no search after a reconnect', () => {
    const chat = driveToSearching().receive('authenticated', { userId: me, state: 'idle' });
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([createJoinEffect()]);
  });

  it('continues, with the start time of the server, when the server is still searching', () => {
    const chat = driveToSearching().receive('authenticated', { userId: me, state: 'searching' });
    expect(chat.effects).toEqual([]);
    chat.receive('queue_joined', { preferences: 'both', since: formatIsoAtOffset(-9_000) });
    expect(chat.state).toMatchObject({ phase: 'searching', searchingSince: receivedAtMs - 9_000 });
  });

  describe('when leave_queue was lost with the connection', () => {
    const driveToCancelled = (): ChatDriver => driveToSearching().dispatch({ type: 'cancelPressed' });

    it('sends leave_queue again when the server is still searching, and stays cancelled', () => {
      const chat = driveToCancelled().receive('authenticated', { userId: me, state: 'searching' });
      expect(chat.effects).toEqual([leaveEffect]);
      chat.receive('queue_joined', { preferences: 'both', since: formatIsoAtOffset(-9_000) });
      expect(chat.state).toMatchObject({ phase: 'initial', isLeavePending: true });
    });

    it('declines a match that was made in the meantime', () => {
      const chat = driveToCancelled()
        .receive('authenticated', { userId: me, state: 'chatting' })
        .receive('session_resumed', createSessionResumedData());
      expect(chat.effects).toEqual([createSkipEffect('s1')]);
      expect(chat.state.phase).toBe('initial');
    });

    it('sends nothing when the server has no search any more', () => {
      const chat = driveToCancelled().receive('authenticated', { userId: me, state: 'idle' });
      expect(chat.state.isLeavePending).toBe(false);
      expect(chat.effects).toEqual([]);
    });
  });

  it('shows the welcome notice in a chat that was matched while disconnected', () => {
    const chat = driveToSearching().receive(
      'session_resumed',
      createSessionResumedData({
        seq: 2,
        events: [{ event: 'random_message', data: createMessageData(2, 'hi') }],
      }),
    );
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!', 'hi']);
  });

  it('takes the waiting time from the latest queue_status instead of the start time in queue_joined', () => {
    const chat = driveToSearching();
    // The local clock is five minutes ahead of the server's, so a search that has just begun seems five minutes old.
    chat.receive('queue_joined', { preferences: 'both', since: formatIsoAtOffset(-300_000) });
    chat.receive('queue_status', { waitedMs: 100, anyoneMatches: true });
    expect(chat.state.searchingSince).toBe(receivedAtMs - 100);
  });

  it('records that the server has found no compatible user who is waiting', () => {
    const chat = driveToSearching().receive('queue_status', { waitedMs: 10_000, anyoneMatches: false });
    expect(chat.state.anyoneMatches).toBe(false);
  });

  it('returns to initial when the server refuses the search', () => {
    expect(driveToSearching().dispatch({ type: 'searchRefused' }).state.phase).toBe('initial');
  });

  it('leaves the queue when the user leaves the page', () => {
    const chat = driveToSearching().dispatch({ type: 'pageLeft' });
    expect(chat.state.phase).toBe('initial');
    expect(chat.effects).toEqual([leaveEffect]);
  });

  it('ignores a second press of Find Conversation', () => {
    expect(driveToSearching().dispatch({ type: 'findPressed', nowMs: receivedAtMs + 1 }).effects).toEqual([]);
  });
});

describe('active → searching: a confirmed skip', () => {
  it('sends skip_chat, drops the chat and joins again with the last preference', () => {
    const chat = driveToInitial()
      .dispatch({ type: 'preferenceChosen', preference: 'male' })
      .dispatch({ type: 'findPressed', nowMs: receivedAtMs })
      .receive('chat_matched', createChatMatchedData())
      .dispatch({ type: 'skipConfirmed', nowMs: receivedAtMs });
    expect(chat.state).toMatchObject({ phase: 'searching', session: null });
    expect(chat.effects).toEqual([createSkipEffect('s1'), createJoinEffect('male')]);
  });

  it('shows no skipped screen when both users skip at the same time', () => {
    const chat = driveToActive()
      .dispatch({ type: 'skipConfirmed', nowMs: receivedAtMs })
      .receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partner.id });
    expect(chat.state.phase).toBe('searching');
  });

  it('opens the next chat and ignores late frames of the old one', () => {
    const chat = driveToActive()
      .dispatch({ type: 'skipConfirmed', nowMs: receivedAtMs })
      .receive('chat_matched', createChatMatchedData('s2'))
      .receive('random_message', createMessageData(2, 'late'))
      .receive('chat_skipped', { sessionId: 's1', seq: 3, reason: 'skipped', endedBy: me });
    expect(chat.state).toMatchObject({ phase: 'active', session: { sessionId: 's2', seq: 1 } });
    // Only the welcome notice of s2.
    expect(chat.texts).toHaveLength(1);
  });

  it('sends skip_chat again when the server resumes the chat, since the first skip_chat was lost', () => {
    const chat = driveToActive()
      .dispatch({ type: 'skipConfirmed', nowMs: receivedAtMs })
      .receive('authenticated', { userId: me, state: 'chatting' })
      .receive('session_resumed', createSessionResumedData());
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([createSkipEffect('s1'), createJoinEffect()]);
  });

  it('follows a skip in another tab to initial, and the search of that tab to searching', () => {
    const chat = driveToActive().receive('chat_skipped', {
      sessionId: 's1',
      seq: 2,
      reason: 'skipped',
      endedBy: me,
    });
    expect(chat.state.phase).toBe('initial');
    chat.receive('queue_joined', { preferences: 'both', since: formatIsoAtOffset() });
    expect(chat.state.phase).toBe('searching');
  });
});

describe('block_changed', () => {
  it.each([
    ['active', driveToActive],
    ['skipped', driveToSkippedByPartner],
  ])(
    'a block of the partner leads from %s to initial, and the following chat_skipped changes nothing',
    (_phase, driveToPhase) => {
      const chat = driveToPhase()
        .receive('block_changed', { userId: partner.id, isBlocked: true })
        .receive('chat_skipped', { sessionId: 's1', seq: 3, reason: 'skipped', endedBy: me });
      expect(chat.state).toMatchObject({ phase: 'initial', session: null });
      expect(chat.effects).toEqual([]);
    },
  );

  it('a block of the partner makes the page ignore later frames of that chat', () => {
    const chat = driveToActive()
      .receive('block_changed', { userId: partner.id, isBlocked: true })
      .receive('random_message', createMessageData(2, 'x'));
    expect(chat.state).toMatchObject({ phase: 'initial', session: null });
    chat.receive('session_resumed', createSessionResumedData());
    expect(chat.state.phase).toBe('initial');
  });

  it('a block changes nothing if it is lifted, concerns another user, or arrives outside a chat', () => {
    const otherUserId = 99;
    expect(
      driveToActive().receive('block_changed', { userId: otherUserId, isBlocked: true }).state.phase,
    ).toBe('active');
    expect(
      driveToActive().receive('block_changed', { userId: partner.id, isBlocked: false }).state.phase,
    ).toBe('active');
    expect(
      driveToSearching().receive('block_changed', { userId: partner.id, isBlocked: true }).state.phase,
    ).toBe('searching');
  });
});

describe('active → skipped', () => {
  it('shows how the chat ended and keeps the partner', () => {
    const chat = driveToSkippedByPartner();
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'skipped', session: { partner } });
    const lost = driveToActive().receive('chat_skipped', {
      sessionId: 's1',
      seq: 2,
      reason: 'disconnected',
      endedBy: null,
    });
    expect(lost.state.endReason).toBe('disconnected');
  });

  it('ignores the end of another session', () => {
    const chat = driveToActive().receive('chat_skipped', {
      sessionId: 's0',
      seq: 9,
      reason: 'skipped',
      endedBy: partner.id,
    });
    expect(chat.state.phase).toBe('active');
  });

  it('waits for chat_skipped when the server has no chat any more, and ends the chat if none arrives', () => {
    const chat = driveToActive().receive('authenticated', { userId: me, state: 'idle' });
    expect(chat.effects).toEqual([{ type: 'awaitChatEnd', sessionId: 's1' }]);
    // The store dispatches this when the wait is over.
    chat.dispatch({ type: 'sessionVanished', sessionId: 's1' });
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'disconnected' });
  });

  it('does not end the next chat when the wait for the end of an earlier chat is over', () => {
    const chat = driveToActive()
      .dispatch({ type: 'skipConfirmed', nowMs: receivedAtMs })
      .receive('chat_matched', createChatMatchedData('s2'))
      .dispatch({ type: 'sessionVanished', sessionId: 's1' });
    expect(chat.state.phase).toBe('active');
  });
});

describe('skipped phase', () => {
  it('returns to initial on New Conversation, without searching', () => {
    const chat = driveToSkippedByPartner().dispatch({ type: 'newConversationPressed' });
    expect(chat.state).toMatchObject({ phase: 'initial', session: null, endReason: null });
    expect(chat.effects).toEqual([]);
  });

  it('adds nothing to a chat that is over', () => {
    const chat = driveToSkippedByPartner().receive('random_message', createMessageData(3, 'late'));
    chat.dispatch(createAckAction('c1', 'mine', 3));
    expect(chat.texts).toEqual(driveToSkippedByPartner().texts);
  });
});

describe('leaving the page in a chat', () => {
  it('skips the chat and drops it', () => {
    const chat = driveToActive().dispatch({ type: 'pageLeft' });
    expect(chat.state).toMatchObject({ phase: 'initial', session: null });
    expect(chat.effects).toEqual([createSkipEffect('s1')]);
  });
});
