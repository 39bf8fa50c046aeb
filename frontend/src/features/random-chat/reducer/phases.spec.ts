import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { type ServerData } from '@thaw/contract/server-frames';
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

// A function such as `driveToActive` takes a new chat to the phase in its name. Its session is s1, in which the match
// has the `seq` 1 and the next stored event has 2. `effects` are those of the last action or frame.

const welcomeText = '🎉 You are now chatting with brave-heron-7. Say hi!';

/** The data of `chat_skipped`, which reports every end of a chat. By default, the partner has skipped the chat. */
const createChatSkippedData = (
  changes: Partial<ServerData<'chat_skipped'>> = {},
): ServerData<'chat_skipped'> => ({
  sessionId: 's1',
  seq: 2,
  reason: 'skipped',
  endedBy: partner.id,
  ...changes,
});

/** The data of a resume with one event, the message 'hi' of the partner. */
const createResumeWithMessage = (): ServerData<'session_resumed'> =>
  createSessionResumedData({
    seq: 2,
    events: [{ event: 'random_message', data: createMessageData(2, 'hi') }],
  });

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
      .receive('session_resumed', createResumeWithMessage());
    expect(chat.state.phase).toBe('active');
    expect(chat.texts).toEqual([welcomeText, 'hi']);
  });
});

describe('searching phase', () => {
  const driveToCancelled = (): ChatDriver => driveToSearching().dispatch({ type: 'cancelPressed' });

  it('returns to initial on Cancel and sends leave_queue', () => {
    const chat = driveToCancelled();
    expect(chat.state.phase).toBe('initial');
    expect(chat.effects).toEqual([leaveEffect]);
  });

  it('has a pending leave from Cancel until the server acknowledges leave_queue', () => {
    const chat = driveToCancelled();
    expect(chat.state.isLeavePending).toBe(true);
    chat.dispatch({ type: 'leaveAcknowledged' });
    expect(chat.state.isLeavePending).toBe(false);
  });

  it('opens the chat on a match, with one welcome notice that names the partner', () => {
    const chat = driveToActive();
    expect(chat.state.phase).toBe('active');
    expect(chat.state.session).toMatchObject({ sessionId: 's1', seq: 1, partner });
    expect(chat.texts).toEqual([welcomeText]);
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

  it('continues when the server is still searching, with the start time of the server', () => {
    const chat = driveToSearching().receive('authenticated', { userId: me, state: 'searching' });
    expect(chat.effects).toEqual([]);
    chat.receive('queue_joined', { preferences: 'both', since: formatIsoAtOffset(-9_000) });
    expect(chat.state).toMatchObject({ phase: 'searching', searchingSince: receivedAtMs - 9_000 });
  });

  describe('when leave_queue was lost with the connection', () => {
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
    const chat = driveToSearching().receive('session_resumed', createResumeWithMessage());
    expect(chat.texts).toEqual([welcomeText, 'hi']);
  });

  it('corrects its start by the waiting time in queue_status, because the clocks may differ', () => {
    const chat = driveToSearching();
    // The local clock is five minutes ahead of the server's, so a search that has just begun seems five minutes old.
    chat.receive('queue_joined', { preferences: 'both', since: formatIsoAtOffset(-5 * 60_000) });
    chat.receive('queue_status', { waitedMs: 100, anyoneMatches: true });
    expect(chat.state.searchingSince).toBe(receivedAtMs - 100);
  });

  it('records from queue_status that no compatible user is waiting', () => {
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
      .receive('chat_skipped', createChatSkippedData());
    expect(chat.state.phase).toBe('searching');
  });

  it('opens the next chat and ignores late frames of the old one', () => {
    const chat = driveToActive()
      .dispatch({ type: 'skipConfirmed', nowMs: receivedAtMs })
      .receive('chat_matched', createChatMatchedData('s2'))
      .receive('random_message', createMessageData(2, 'late'))
      .receive('chat_skipped', createChatSkippedData({ seq: 3, endedBy: me }));
    expect(chat.state).toMatchObject({ phase: 'active', session: { sessionId: 's2', seq: 1 } });
    expect(chat.texts).toEqual([welcomeText]);
  });

  it('sends skip_chat again when the server resumes the chat, since the first skip_chat was lost', () => {
    const chat = driveToActive()
      .dispatch({ type: 'skipConfirmed', nowMs: receivedAtMs })
      .receive('authenticated', { userId: me, state: 'chatting' })
      .receive('session_resumed', createSessionResumedData());
    expect(chat.state.phase).toBe('searching');
    expect(chat.effects).toEqual([createSkipEffect('s1'), createJoinEffect()]);
  });
});

describe('a skip by the user in another tab', () => {
  const driveToSkippedInOtherTab = (): ChatDriver =>
    driveToActive().receive('chat_skipped', createChatSkippedData({ endedBy: me }));

  it('returns to initial', () => {
    expect(driveToSkippedInOtherTab().state.phase).toBe('initial');
  });

  it('leads to searching when the other tab has joined the queue', () => {
    const chat = driveToSkippedInOtherTab();
    chat.receive('queue_joined', { preferences: 'both', since: formatIsoAtOffset() });
    expect(chat.state.phase).toBe('searching');
  });
});

describe('block_changed', () => {
  describe.each([
    ['active', driveToActive],
    ['skipped', driveToSkippedByPartner],
  ])('for a block of the partner in the phase %s', (_phase, driveToPhase) => {
    const driveToBlocked = (): ChatDriver =>
      driveToPhase().receive('block_changed', { userId: partner.id, isBlocked: true });

    it('leads to initial and sends nothing', () => {
      const chat = driveToBlocked();
      expect(chat.state).toMatchObject({ phase: 'initial', session: null });
      expect(chat.effects).toEqual([]);
    });

    it('makes the page ignore the chat_skipped that follows', () => {
      const chat = driveToBlocked();
      chat.receive('chat_skipped', createChatSkippedData({ seq: 3, endedBy: me }));
      expect(chat.state).toMatchObject({ phase: 'initial', session: null });
      expect(chat.effects).toEqual([]);
    });
  });

  it('makes the page ignore late messages and a resume of the chat', () => {
    const chat = driveToActive()
      .receive('block_changed', { userId: partner.id, isBlocked: true })
      .receive('random_message', createMessageData(2, 'x'));
    expect(chat.state).toMatchObject({ phase: 'initial', session: null });
    chat.receive('session_resumed', createSessionResumedData());
    expect(chat.state.phase).toBe('initial');
  });

  it.each([
    ['a block of another user', { userId: 99, isBlocked: true }],
    ['the end of a block', { userId: partner.id, isBlocked: false }],
  ])('for %s does not close the chat', (_case, data) => {
    expect(driveToActive().receive('block_changed', data).state.phase).toBe('active');
  });

  it('does not end a search', () => {
    const chat = driveToSearching().receive('block_changed', { userId: partner.id, isBlocked: true });
    expect(chat.state.phase).toBe('searching');
  });
});

describe('active → skipped', () => {
  it('shows that the partner has skipped the chat, and keeps the partner', () => {
    const chat = driveToSkippedByPartner();
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'skipped', session: { partner } });
  });

  it('shows that the connection of the partner was lost', () => {
    const data = createChatSkippedData({ reason: 'disconnected', endedBy: null });
    expect(driveToActive().receive('chat_skipped', data).state.endReason).toBe('disconnected');
  });

  it('ignores the end of another session', () => {
    const data = createChatSkippedData({ sessionId: 's0', seq: 9 });
    expect(driveToActive().receive('chat_skipped', data).state.phase).toBe('active');
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

  it('adds no late messages to the chat', () => {
    const chat = driveToSkippedByPartner();
    const textsAtEnd = chat.texts;
    chat.receive('random_message', createMessageData(3, 'late'));
    chat.dispatch(createAckAction('c1', 'mine', 3));
    expect(chat.texts).toEqual(textsAtEnd);
  });
});

describe('leaving the page in a chat', () => {
  it('skips the chat and drops it', () => {
    const chat = driveToActive().dispatch({ type: 'pageLeft' });
    expect(chat.state).toMatchObject({ phase: 'initial', session: null });
    expect(chat.effects).toEqual([createSkipEffect('s1')]);
  });
});
