import { type Action } from '@/features/random-chat/reducer/random-chat.state';
import {
  me,
  partner,
  receivedAtMs,
  type ChatDriver,
  driveToActive,
  createPartnerMessage,
  createAckAction,
  createSessionResumed,
} from '@/testing/random-chat-driver';

describe('messages', () => {
  it("adds the partner's message once", () => {
    const chat = driveToActive()
      .receive('random_message', createPartnerMessage(2, 'hi'))
      .receive('random_message', createPartnerMessage(2, 'hi'));
    expect(chat.texts.slice(1)).toEqual(['hi']);
    expect(chat.state.session?.seq).toBe(2);
  });

  it("adds the user's message on its ack, under its clientId, with the server's id and time", () => {
    const chat = driveToActive().dispatch(createAckAction('c1', 'hello', 2));
    expect(chat.state.session?.messages.at(-1)).toMatchObject({
      id: `${receivedAtMs}-2`,
      key: 'c1',
      content: 'hello',
      delivery: 'sent',
      timestamp: receivedAtMs + 2,
    });
    expect(chat.state.session?.seq).toBe(2);
  });

  it("adds the user's message once, whether the ack or the frame comes first", () => {
    const frame = createPartnerMessage(2, 'hello', { senderId: me, clientId: 'c1' });
    const ackFirst = driveToActive()
      .dispatch(createAckAction('c1', 'hello', 2))
      .receive('random_message', frame);
    const frameFirst = driveToActive()
      .receive('random_message', frame)
      .dispatch(createAckAction('c1', 'hello', 2));
    for (const chat of [ackFirst, frameFirst]) expect(chat.texts.slice(1)).toEqual(['hello']);
  });

  it('shows a message that the user sent in another tab as their own', () => {
    const chat = driveToActive().receive(
      'random_message',
      createPartnerMessage(2, 'from the phone', { senderId: me, clientId: 'x' }),
    );
    expect(chat.state.session?.messages.at(-1)).toMatchObject({ senderId: me, delivery: 'sent', key: 'x' });
  });

  it('ignores the ack of another session', () => {
    const chat = driveToActive().dispatch({
      ...createAckAction('c1', 'hello', 2),
      sessionId: 's0',
    } as Action);
    expect(chat.texts).not.toContain('hello');
  });
});

describe('the order of messages', () => {
  const createOwnFrame = (seq: number, clientId: string) => ({
    event: 'random_message',
    data: createPartnerMessage(seq, clientId, { senderId: me, clientId }),
  });

  it('is that of the stream when an ack comes twice', () => {
    const chat = driveToActive()
      .dispatch(createAckAction('c1', 'one', 2))
      .dispatch(createAckAction('c2', 'two', 3))
      .dispatch(createAckAction('c1', 'one', 2));
    expect(chat.texts.slice(1)).toEqual(['one', 'two']);
    expect(chat.state.session?.seq).toBe(3);
  });

  it('is that of the stream when a later ack comes first', () => {
    const chat = driveToActive()
      .dispatch(createAckAction('c2', 'two', 3))
      .dispatch(createAckAction('c1', 'one', 2));
    expect(chat.texts.slice(1)).toEqual(['one', 'two']);
  });

  it('is that of the stream when missing events arrive after a later ack', () => {
    const chat = driveToActive().dispatch(createAckAction('c2', 'two', 5));
    chat.receive(
      'session_resumed',
      createSessionResumed({
        seq: 4,
        events: [
          { event: 'random_message', data: createPartnerMessage(2, 'theirs') },
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
          createOwnFrame(4, 'c1'),
        ],
      }),
    );
    expect(chat.texts.slice(1)).toEqual(['theirs', 'Tea or coffee?', 'c1', 'two']);
  });
});

describe('a gap in seq', () => {
  it('requests the missing events once, and hides later ones until they arrive', () => {
    const chat = driveToActive().receive('random_message', createPartnerMessage(3, 'three'));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.texts).not.toContain('three');
    chat.receive('random_message', createPartnerMessage(4, 'four'));
    expect(chat.effects).toEqual([]);
    chat.receive(
      'session_resumed',
      createSessionResumed({
        seq: 4,
        events: [
          createPartnerMessage(2, 'two'),
          createPartnerMessage(3, 'three'),
          createPartnerMessage(4, 'four'),
        ].map((data) => ({
          event: 'random_message',
          data,
        })),
      }),
    );
    expect(chat.texts.slice(1)).toEqual(['two', 'three', 'four']);
    chat.receive('random_message', createPartnerMessage(6, 'six'));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
  });

  it('is also detected by an ack, whose message is shown as sent', () => {
    const chat = driveToActive().dispatch(createAckAction('c1', 'hello', 3));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.texts).toContain('hello');
    chat.receive(
      'session_resumed',
      createSessionResumed({
        seq: 3,
        events: [
          { event: 'random_message', data: createPartnerMessage(2, 'two') },
          {
            event: 'random_message',
            data: createPartnerMessage(3, 'hello', { senderId: me, clientId: 'c1' }),
          },
        ],
      }),
    );
    expect(chat.texts.filter((text) => text === 'hello')).toHaveLength(1);
    expect(chat.state.session?.seq).toBe(3);
  });

  it('is not reported for an event without a frame for this client', () => {
    const chat = driveToActive()
      .receive('session_advanced', { sessionId: 's1', seq: 2 })
      .receive('random_message', createPartnerMessage(3, 'three'));
    expect(chat.texts).toContain('three');
    expect(chat.state.session?.seq).toBe(3);
    expect(chat.effects).toEqual([]);
  });

  it('is detected when an event without a frame comes too early', () => {
    expect(driveToActive().receive('session_advanced', { sessionId: 's1', seq: 3 }).effects).toEqual([
      { type: 'resync' },
    ]);
  });

  it('is not reported for an event that changes nothing here', () => {
    const chat = driveToActive()
      .receive('message_edited', { sessionId: 's1', seq: 2, messageId: '1-1', newContent: 'x' })
      .receive('random_message', createPartnerMessage(3, 'three'));
    expect(chat.texts).toContain('three');
    expect(chat.effects).toEqual([]);
  });
});

describe('the partner', () => {
  it('is shown typing until a message, the six-second timeout, a lost connection or the end of the chat', () => {
    const driveToTyping = (): ChatDriver =>
      driveToActive().receive('typing', { sessionId: 's1', userId: partner.id });
    expect(driveToTyping().state.session?.isPartnerTyping).toBe(true);
    expect(driveToTyping().effects).toEqual([{ type: 'restartTypingTimer' }]);
    expect(
      driveToTyping().receive('random_message', createPartnerMessage(2, 'hi')).state.session?.isPartnerTyping,
    ).toBe(false);
    expect(driveToTyping().dispatch({ type: 'typingExpired' }).state.session?.isPartnerTyping).toBe(false);
    expect(
      driveToTyping().receive('partner_connection', { sessionId: 's1', state: 'reconnecting' }).state.session
        ?.isPartnerTyping,
    ).toBe(false);
    expect(
      driveToTyping().receive('chat_skipped', {
        sessionId: 's1',
        seq: 2,
        reason: 'skipped',
        endedBy: partner.id,
      }).state.session?.isPartnerTyping,
    ).toBe(false);
  });

  it("is not shown typing for the user's own typing or that of another session", () => {
    expect(
      driveToActive().receive('typing', { sessionId: 's1', userId: me }).state.session?.isPartnerTyping,
    ).toBe(false);
    expect(
      driveToActive().receive('typing', { sessionId: 's0', userId: partner.id }).state.session
        ?.isPartnerTyping,
    ).toBe(false);
  });

  it('is shown reconnecting, then connected', () => {
    const chat = driveToActive().receive('partner_connection', { sessionId: 's1', state: 'reconnecting' });
    expect(chat.state.session?.partnerConnection).toBe('reconnecting');
    chat.receive('partner_connection', { sessionId: 's1', state: 'connected' });
    expect(chat.state.session?.partnerConnection).toBe('connected');
  });
});
