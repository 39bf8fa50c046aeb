import { limits } from '@thaw/contract/limits';
import {
  ADA,
  BOB,
  chatEnded,
  chatStarted,
  EVE,
  givenChat,
  givenChatOfBytes,
  givenLimitedChat,
  messageSent,
  getEventPosition,
  getEventTime,
} from '../../../testing/given-chat.fixture';
import { MAX_CHAT_BYTES, MAX_CHAT_EVENTS } from './random-chat.decider';
import type { SendMessage } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

const sendMessage = (command: Partial<SendMessage> = {}): SendMessage => ({
  type: 'SendMessage',
  decidedAtMs: getEventTime(60), // minute 60; event `n` of a given chat happens at minute `n`
  senderId: ADA,
  content: 'hello',
  messageType: 'text',
  replyToId: null,
  clientId: null,
  ...command,
});
const skipChat = (userId: number) => ({ type: 'SkipChat', userId }) as const;
const endAbandonedChat = (userId: number) => ({ type: 'EndAbandonedChat', userId }) as const;
const abortChat = { type: 'AbortChat' } as const;
const endLostChat = { type: 'EndLostChat' } as const;

/** @param userId the user who skips. */
const createEndBySkip = (userId: number): RandomChatEvent => ({
  type: 'ChatEnded',
  data: { reason: 'skipped', endedBy: userId },
});

describe('the start of a random chat', () => {
  const start = {
    type: 'StartChat',
    participants: [
      { id: ADA, username: 'ada', avatar: null },
      { id: BOB, username: 'bob', avatar: null },
    ],
  } as const;

  it('records both participants', () => {
    givenChat().when(start).then(chatStarted);
  });

  it('happens only once', () => {
    givenChat(chatStarted).when(start).thenThrows('already_in_session');
    givenChat(chatStarted, chatEnded).when(start).thenThrows('already_in_session');
  });
});

describe('a message', () => {
  it('is accepted from a participant', () => {
    givenChat(chatStarted)
      .when(sendMessage({ senderId: BOB, content: 'hi', clientId: 'c-1' }))
      .then(messageSent(BOB, 'hi', 'c-1'));
  });

  it.each([
    ['by a user who is not in the chat', [chatStarted], EVE, 'not_in_session'],
    ['by a user who is not in the chat, after the end', [chatStarted, chatEnded], EVE, 'not_in_session'],
    ['in the name of the system', [chatStarted], 0, 'not_in_session'],
    ['in a chat that does not exist', [], ADA, 'not_in_session'],
    ['after the end', [chatStarted, chatEnded], ADA, 'session_ended'],
    // `chatEnded`: Bob has skipped the chat.
    ['after the end by the user who ended it', [chatStarted, chatEnded], BOB, 'session_ended'],
  ] as const)('is refused when sent %s', (_, history, senderId, code) => {
    givenChat(...history)
      .when(sendMessage({ senderId }))
      .thenThrows(code);
  });

  it('is trimmed, and characters that cannot be stored are removed or replaced', () => {
    givenChat(chatStarted)
      .when(sendMessage({ content: '  a\u0000\ud800b\r\n\tc \n' }))
      .then(messageSent(ADA, 'a\ufffdb\n\tc'));
  });

  it.each(['', '   ', '\u0000\u0001', '\r\n', '\u200b', '\u2800\u3164', '\u202e'])(
    'is refused without a visible character: %j',
    (content) => {
      givenChat(chatStarted).when(sendMessage({ content })).thenThrows('invalid_payload');
    },
  );

  it(`has at most ${limits.messageMaxCodePoints} code points, counted after trimming`, () => {
    const longest = '🎉'.repeat(limits.messageMaxCodePoints);
    givenChat(chatStarted)
      .when(sendMessage({ content: `  ${longest}  ` }))
      .then(messageSent(ADA, longest));
    givenChat(chatStarted)
      .when(sendMessage({ content: `${longest}!` }))
      .thenThrows('message_too_long');
  });
});

describe('a repeated message', () => {
  const historyWithMessage = [chatStarted, messageSent(ADA, 'hello', 'c-1')];
  const messagePosition = getEventPosition(2);

  it('is not stored again and refers to the first one, whatever its content', () => {
    const repeated = givenChat(...historyWithMessage).when(sendMessage({ clientId: 'c-1', content: ' ' }));
    repeated.thenNothing();
    expect(repeated.decide()).toEqual({ alreadyDone: messagePosition });
  });

  it('is recognised after the end of the chat and above the rate limit', () => {
    // The first message is event 2, so at this time it has just taken the only token of the rate limit below.
    const repeated = sendMessage({ clientId: 'c-1', decidedAtMs: getEventTime(2) });
    for (const history of [historyWithMessage, [...historyWithMessage, chatEnded]]) {
      expect(
        givenLimitedChat({ intervalMs: 60_000, burst: 1 })(...history)
          .when(repeated)
          .decide(),
      ).toEqual({ alreadyDone: messagePosition });
    }
  });

  it('is recognised only with the same sender and the same client id', () => {
    givenChat(...historyWithMessage)
      .when(sendMessage({ clientId: 'c-1', senderId: BOB }))
      .then(messageSent(BOB, 'hello', 'c-1'));
    givenChat(...historyWithMessage)
      .when(sendMessage({ clientId: 'c-2' }))
      .then(messageSent(ADA, 'hello', 'c-2'));
    givenChat(...historyWithMessage)
      .when(sendMessage())
      .then(messageSent(ADA));
  });

  it('is not disclosed to a user who is not in the session', () => {
    givenChat(...historyWithMessage)
      .when(sendMessage({ clientId: 'c-1', senderId: EVE }))
      .thenThrows('not_in_session');
  });
});

describe('a reply', () => {
  const messageId = getEventPosition(2).id;

  it('quotes the stored message', () => {
    givenChat(chatStarted, messageSent(BOB, 'do you like rain?'))
      .when(sendMessage({ replyToId: messageId }))
      .then({
        type: 'MessageSent',
        data: {
          replyTo: { messageId, content: 'do you like rain?', senderId: BOB, senderName: 'bob' },
        },
      });
  });

  it(`quotes at most ${limits.quoteMaxGraphemes} graphemes, and does not split one`, () => {
    const grapheme = '👨‍👩‍👧';
    givenChat(chatStarted, messageSent(ADA, grapheme.repeat(100)))
      .when(sendMessage({ replyToId: messageId }))
      .then({ data: { replyTo: { content: `${grapheme.repeat(limits.quoteMaxGraphemes)}...` } } });
  });

  it('quotes a bounded number of code points, however long a grapheme is', () => {
    const accent = '\u0301';
    const maxCodePoints = limits.quoteMaxGraphemes * limits.quoteMaxCodePointsPerGrapheme;
    givenChat(chatStarted, messageSent(ADA, `e${accent.repeat(limits.messageMaxCodePoints - 1)}`))
      .when(sendMessage({ replyToId: messageId }))
      .then({ data: { replyTo: { content: `e${accent.repeat(maxCodePoints - 1)}...` } } });
  });

  it.each([
    ['the start of the chat', getEventPosition(1).id],
    ['an id after the last event', getEventPosition(9).id],
    ['an id before the first event', '0-0'],
  ])('is refused when its target is not a message but %s', (_, replyToId) => {
    givenChat(chatStarted, messageSent(ADA)).when(sendMessage({ replyToId })).thenThrows('message_not_found');
  });
});

describe('the rate limit of messages', () => {
  const threeMessages = [chatStarted, messageSent(ADA), messageSent(ADA), messageSent(ADA)];
  // The events are one minute apart, so less than one of the three tokens is refilled during these messages.
  const givenLimited = givenLimitedChat({ intervalMs: 15 * 60_000, burst: 3 });

  it('allows a burst of three', () => {
    givenLimited(...threeMessages.slice(0, -1))
      .when(sendMessage({ decidedAtMs: getEventTime(3) }))
      .then(messageSent(ADA));
  });

  it('refuses a message above the limit, with the time to wait', () => {
    // The first token was taken at minute 2. It is refilled at minute 17, thirteen minutes after this message.
    const tooFast = givenLimited(...threeMessages).when(sendMessage({ decidedAtMs: getEventTime(4) }));
    tooFast.thenThrows('rate_limited');
    let waitMs = 0;
    try {
      tooFast.decide();
    } catch (error) {
      waitMs = (error as { retryAfterMs: number }).retryAfterMs;
    }
    expect(waitMs / 60_000).toBeCloseTo(13, 3);
    givenLimited(...threeMessages)
      .when(sendMessage({ decidedAtMs: getEventTime(4) + waitMs }))
      .then(messageSent(ADA));
  });

  it('counts each sender separately', () => {
    givenLimited(...threeMessages)
      .when(sendMessage({ decidedAtMs: getEventTime(4), senderId: BOB }))
      .then(messageSent(BOB));
  });

  it('allows a message when a token has been refilled', () => {
    givenLimitedChat({ intervalMs: 60_000, burst: 1 })(...threeMessages)
      .when(sendMessage({ decidedAtMs: getEventTime(5) }))
      .then(messageSent(ADA));
  });

  it('allows a message when the clock is behind the time of the last event', () => {
    // The message is event 2, twelve minutes later than the clock.
    givenLimitedChat({ intervalMs: 1_000, burst: 2 })(chatStarted, messageSent(ADA))
      .when(sendMessage({ decidedAtMs: getEventTime(-10) }))
      .then(messageSent(ADA));
  });
});

describe('a chat with the maximum number of events', () => {
  const fullHistory = [
    chatStarted,
    ...Array.from({ length: MAX_CHAT_EVENTS - 1 }, (_, index) => messageSent(ADA, 'x', `c-${index}`)),
  ];

  it('accepts no more messages and can still be ended', () => {
    givenChat(...fullHistory)
      .when(sendMessage({ clientId: 'new' }))
      .thenThrows('unavailable');
    givenChat(...fullHistory)
      .when(skipChat(ADA))
      .then(createEndBySkip(ADA));
  });

  it('accepts the last message that fits, and recognises a repeated message', () => {
    givenChat(...fullHistory.slice(0, -1))
      .when(sendMessage({ content: 'x', clientId: 'new' }))
      .then(messageSent(ADA, 'x', 'new'));
    givenChat(...fullHistory)
      .when(sendMessage({ clientId: 'c-0' }))
      .thenNothing();
  });
});

describe('a chat of the maximum size', () => {
  /** Every event has a quarter of the maximum size. */
  const givenChatOfQuarters = givenChatOfBytes(MAX_CHAT_BYTES / 4);
  const threeQuarters = [chatStarted, messageSent(ADA), messageSent(BOB)];

  it('accepts no more messages and can still be ended', () => {
    givenChatOfQuarters(...threeQuarters)
      .when(sendMessage())
      .then(messageSent(ADA));
    givenChatOfQuarters(...threeQuarters, messageSent(ADA))
      .when(sendMessage())
      .thenThrows('unavailable');
    givenChatOfQuarters(...threeQuarters, messageSent(ADA))
      .when(skipChat(ADA))
      .then(createEndBySkip(ADA));
  });
});

describe('the end of a random chat', () => {
  it('happens when a participant skips', () => {
    givenChat(chatStarted).when(skipChat(BOB)).then(createEndBySkip(BOB));
  });

  it('names no user when a participant was away for too long', () => {
    givenChat(chatStarted)
      .when(endAbandonedChat(ADA))
      .then({ type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } });
  });

  it('happens when Redis has lost a part of the chat, or all of it', () => {
    const disconnected = { type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } };
    givenChat(chatStarted).when(endLostChat).then(disconnected);
    givenChat().when(endLostChat).then(disconnected);
  });

  it('has the reason aborted when the match was cancelled', () => {
    givenChat(chatStarted)
      .when(abortChat)
      .then({ type: 'ChatEnded', data: { reason: 'aborted', endedBy: null } });
  });

  it.each([
    skipChat(ADA),
    skipChat(BOB),
    endAbandonedChat(ADA),
    endAbandonedChat(BOB),
    abortChat,
    endLostChat,
  ])('is stored once: a later %o refers to the first end', (command) => {
    const repeated = givenChat(chatStarted, messageSent(ADA), createEndBySkip(BOB)).when(command);
    repeated.thenNothing();
    expect(repeated.decide()).toMatchObject({ alreadyDone: { seq: 3 } });
  });

  it.each([skipChat(EVE), endAbandonedChat(EVE)])(
    'is refused to a user who is not in the session: %o',
    (command) => {
      givenChat(chatStarted).when(command).thenThrows('not_in_session');
      givenChat(chatStarted, chatEnded).when(command).thenThrows('not_in_session');
    },
  );

  it('is refused to a user who skips before the start', () => {
    givenChat().when(skipChat(ADA)).thenThrows('not_in_session');
  });
});
