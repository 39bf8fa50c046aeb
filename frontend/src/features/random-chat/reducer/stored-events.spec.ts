import { type ServerData } from '@thaw/contract/server-frames';
import {
  me,
  partner,
  receivedAtMs,
  type ChatDriver,
  driveToActive,
  createMessageData,
  createAckAction,
  createSessionResumedData,
} from '@/testing/random-chat-driver';

// Each stored event of a session has a `seq`, its number in the session's stream. The match has 1, so the first event
// after it has 2. `createMessageData(seq, text)` is a message of the partner; `createAckAction(clientId, text, seq)` is
// one of the user. `chat.effects` are the effects of the last frame or action.

/** The texts of messages and the questions of games, without the welcome notice, which is always the first. */
const listTexts = ({ texts }: ChatDriver): string[] => texts.slice(1);

/** An event in `session_resumed`, the frame with the events that the page has missed. */
type MissedEvent = ServerData<'session_resumed'>['events'][number];
const toMissedEvent = (data: ServerData<'random_message'>): MissedEvent => ({
  event: 'random_message',
  data,
});

describe('messages', () => {
  it("adds the partner's message once", () => {
    const chat = driveToActive()
      .receive('random_message', createMessageData(2, 'hi'))
      .receive('random_message', createMessageData(2, 'hi'));
    expect(listTexts(chat)).toEqual(['hi']);
    expect(chat.state.session?.seq).toBe(2);
  });

  it("adds the user's message on its ack, under its clientId, with the server's id and time", () => {
    const chat = driveToActive().dispatch(createAckAction('c1', 'hello', 2));
    // `createAckAction` derives the id and the time of the ack from its `seq`.
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
    const frame = createMessageData(2, 'hello', { senderId: me, clientId: 'c1' });
    const ackFirst = driveToActive()
      .dispatch(createAckAction('c1', 'hello', 2))
      .receive('random_message', frame);
    const frameFirst = driveToActive()
      .receive('random_message', frame)
      .dispatch(createAckAction('c1', 'hello', 2));
    for (const chat of [ackFirst, frameFirst]) expect(listTexts(chat)).toEqual(['hello']);
  });

  it('shows a message that the user sent in another tab as their own', () => {
    const chat = driveToActive().receive(
      'random_message',
      createMessageData(2, 'from the other tab', { senderId: me, clientId: 'x' }),
    );
    expect(chat.state.session?.messages.at(-1)).toMatchObject({ senderId: me, delivery: 'sent', key: 'x' });
  });

  it('ignores the ack of another session', () => {
    const chat = driveToActive().dispatch(createAckAction('c1', 'hello', 2, 's0'));
    expect(chat.texts).not.toContain('hello');
  });
});

describe('the order of messages', () => {
  it('is that of the stream when an ack arrives twice', () => {
    const chat = driveToActive()
      .dispatch(createAckAction('c1', 'one', 2))
      .dispatch(createAckAction('c2', 'two', 3))
      .dispatch(createAckAction('c1', 'one', 2));
    expect(listTexts(chat)).toEqual(['one', 'two']);
    expect(chat.state.session?.seq).toBe(3);
  });

  it('is that of the stream when a later ack arrives first', () => {
    const chat = driveToActive()
      .dispatch(createAckAction('c2', 'two', 3))
      .dispatch(createAckAction('c1', 'one', 2));
    expect(listTexts(chat)).toEqual(['one', 'two']);
  });

  it('is that of the stream when missing events arrive after a later ack', () => {
    const theirMessage = toMissedEvent(createMessageData(2, 'theirs'));
    const question = {
      id: 3,
      question: 'Tea or coffee?',
      options: ['Tea', 'Coffee'],
      category: 'love_language',
    };
    const theirGame = {
      event: 'break_ice_question_received',
      data: { sessionId: 's1', seq: 3, gameId: 'g1', question, initiatorId: partner.id },
    };
    const ownMessage = toMissedEvent(createMessageData(4, 'one', { senderId: me, clientId: 'c1' }));
    const chat = driveToActive()
      .dispatch(createAckAction('c2', 'two', 5))
      .receive(
        'session_resumed',
        createSessionResumedData({ seq: 4, events: [theirMessage, theirGame, ownMessage] }),
      );
    expect(listTexts(chat)).toEqual(['theirs', 'Tea or coffee?', 'one', 'two']);
  });
});

describe('a gap in seq', () => {
  const receiveMissedMessages = (chat: ChatDriver): ChatDriver => {
    const messages = [
      createMessageData(2, 'two'),
      createMessageData(3, 'three'),
      createMessageData(4, 'four'),
    ];
    return chat.receive(
      'session_resumed',
      createSessionResumedData({ seq: 4, events: messages.map(toMissedEvent) }),
    );
  };

  it('makes the page request the missing events once', () => {
    const chat = driveToActive().receive('random_message', createMessageData(3, 'three'));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    chat.receive('random_message', createMessageData(4, 'four'));
    expect(chat.effects).toEqual([]);
  });

  it('makes the page show later events only after the missing ones', () => {
    const chat = driveToActive().receive('random_message', createMessageData(3, 'three'));
    expect(chat.texts).not.toContain('three');
    chat.receive('random_message', createMessageData(4, 'four'));
    receiveMissedMessages(chat);
    expect(listTexts(chat)).toEqual(['two', 'three', 'four']);
  });

  it('makes the page request missing events again after an earlier gap was filled', () => {
    const chat = driveToActive().receive('random_message', createMessageData(3, 'three'));
    receiveMissedMessages(chat).receive('random_message', createMessageData(6, 'six'));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
  });

  it('is also detected from an ack, whose message is shown immediately', () => {
    const chat = driveToActive().dispatch(createAckAction('c1', 'hello', 3));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.texts).toContain('hello');
  });

  it('does not make the page show an acknowledged message again when it is among the missing events', () => {
    const messages = [
      createMessageData(2, 'two'),
      createMessageData(3, 'hello', { senderId: me, clientId: 'c1' }),
    ];
    const chat = driveToActive()
      .dispatch(createAckAction('c1', 'hello', 3))
      .receive('session_resumed', createSessionResumedData({ seq: 3, events: messages.map(toMissedEvent) }));
    expect(chat.texts.filter((text) => text === 'hello')).toHaveLength(1);
    expect(chat.state.session?.seq).toBe(3);
  });

  it('does not result from session_advanced, which stands for an event without a frame for this client', () => {
    const chat = driveToActive()
      .receive('session_advanced', { sessionId: 's1', seq: 2 })
      .receive('random_message', createMessageData(3, 'three'));
    expect(chat.texts).toContain('three');
    expect(chat.state.session?.seq).toBe(3);
    expect(chat.effects).toEqual([]);
  });

  it('is detected when session_advanced skips a seq', () => {
    expect(driveToActive().receive('session_advanced', { sessionId: 's1', seq: 3 }).effects).toEqual([
      { type: 'resync' },
    ]);
  });

  it('does not result from an event that changes nothing on this page', () => {
    const unknownId = '1-1';
    const chat = driveToActive()
      .receive('message_edited', { sessionId: 's1', seq: 2, messageId: unknownId, newContent: 'x' })
      .receive('random_message', createMessageData(3, 'three'));
    expect(chat.texts).toContain('three');
    expect(chat.effects).toEqual([]);
  });
});

// The frames `typing` and `partner_connection` are no stored events, so they have no `seq`.
describe('the partner', () => {
  const driveToTyping = (): ChatDriver =>
    driveToActive().receive('typing', { sessionId: 's1', userId: partner.id });

  it('is shown typing after their typing frame', () => {
    const chat = driveToTyping();
    expect(chat.state.session?.isPartnerTyping).toBe(true);
    expect(chat.effects).toEqual([{ type: 'restartTypingTimer' }]);
  });

  it.each<[string, (chat: ChatDriver) => ChatDriver]>([
    ['their message', (chat) => chat.receive('random_message', createMessageData(2, 'hi'))],
    ['the end of the typing timer', (chat) => chat.dispatch({ type: 'typingExpired' })],
    [
      'the loss of their connection',
      (chat) => chat.receive('partner_connection', { sessionId: 's1', state: 'reconnecting' }),
    ],
    [
      'the end of the chat',
      (chat) =>
        chat.receive('chat_skipped', { sessionId: 's1', seq: 2, reason: 'skipped', endedBy: partner.id }),
    ],
  ])('is not shown typing any more after %s', (_cause, endTyping) => {
    expect(endTyping(driveToTyping()).state.session?.isPartnerTyping).toBe(false);
  });

  it("is not shown typing for the user's own typing or that of another session", () => {
    const ownTyping = { sessionId: 's1', userId: me };
    const typingInOtherSession = { sessionId: 's0', userId: partner.id };
    for (const data of [ownTyping, typingInOtherSession])
      expect(driveToActive().receive('typing', data).state.session?.isPartnerTyping).toBe(false);
  });

  it('is shown reconnecting, then connected', () => {
    const chat = driveToActive().receive('partner_connection', { sessionId: 's1', state: 'reconnecting' });
    expect(chat.state.session?.partnerConnection).toBe('reconnecting');
    chat.receive('partner_connection', { sessionId: 's1', state: 'connected' });
    expect(chat.state.session?.partnerConnection).toBe('connected');
  });
});
