import { limits } from '@thaw/contract/limits';
import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
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
import { DomainError } from '../../../platform/errors/domain.errors';
import { MAX_CHAT_BYTES, MAX_CHAT_EVENTS } from './random-chat.decider';
import type { SendMessage } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

// The events of a given chat are a minute apart: event `n` happens at minute `n`, which is `getEventTime(n)`.

const sendMessage = (command: Partial<SendMessage> = {}): SendMessage => ({
  type: 'SendMessage',
  decidedAtMs: getEventTime(60),
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

const chatSkippedBy = (userId: number): RandomChatEvent => ({
  type: 'ChatEnded',
  data: { reason: 'skipped', endedBy: userId },
});

/** The wait that a refused decision returns to the client. */
const readRetryAfterMs = (decide: () => unknown): number => {
  try {
    decide();
  } catch (error) {
    if (error instanceof DomainError && error.retryAfterMs !== undefined) return error.retryAfterMs;
  }
  throw new Error('Not refused with a time to wait');
};

describe('the start of a random chat', () => {
  const startChat = {
    type: 'StartChat',
    participants: [
      { id: ADA, username: 'ada', avatar: null },
      { id: BOB, username: 'bob', avatar: null },
    ],
  } as const;

  it('records both participants', () => {
    givenChat().when(startChat).then(chatStarted);
  });

  it('is refused when the chat is open or has ended', () => {
    givenChat(chatStarted).when(startChat).thenThrows('already_in_session');
    givenChat(chatStarted, chatEnded).when(startChat).thenThrows('already_in_session');
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
    ['in the name of the system', [chatStarted], SYSTEM_SENDER_ID, 'not_in_session'],
    ['in a chat that does not exist', [], ADA, 'not_in_session'],
    ['after the end', [chatStarted, chatEnded], ADA, 'session_ended'],
    ['by the user who has skipped the chat', [chatStarted, chatSkippedBy(BOB)], BOB, 'session_ended'],
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
  const firstPosition = getEventPosition(2);

  it('is not stored again and refers to the first one, whatever its content', () => {
    const repeated = givenChat(...historyWithMessage).when(sendMessage({ clientId: 'c-1', content: ' ' }));
    repeated.thenNothing();
    expect(repeated.decide()).toEqual({ alreadyDone: firstPosition });
  });

  it.each([
    ['in an open chat', historyWithMessage],
    ['after the end of the chat', [...historyWithMessage, chatEnded]],
  ])('is recognised above the rate limit %s', (_, history) => {
    const givenOneMessageAMinute = givenLimitedChat({ intervalMs: 60_000, burst: 1 });
    const atTimeOfFirst = sendMessage({ clientId: 'c-1', decidedAtMs: getEventTime(firstPosition.seq) });
    expect(
      givenOneMessageAMinute(...history)
        .when(atTimeOfFirst)
        .decide(),
    ).toEqual({ alreadyDone: firstPosition });
  });

  it('is recognised only with the same sender and the same client id', () => {
    givenChat(...historyWithMessage)
      .when(sendMessage({ clientId: 'c-1', senderId: BOB }))
      .then(messageSent(BOB, 'hello', 'c-1'));
    givenChat(...historyWithMessage)
      .when(sendMessage({ clientId: 'c-2' }))
      .then(messageSent(ADA, 'hello', 'c-2'));
    givenChat(...historyWithMessage)
      .when(sendMessage({ clientId: null }))
      .then(messageSent(ADA, 'hello', null));
  });

  it('is refused when sent by a user who is not in the chat', () => {
    givenChat(...historyWithMessage)
      .when(sendMessage({ clientId: 'c-1', senderId: EVE }))
      .thenThrows('not_in_session');
  });
});

describe('a reply', () => {
  /** The message of every test: the second event, after the start of the chat. */
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
  // Messages at the minutes 2, 3 and 4.
  const afterTwoMessages = [chatStarted, messageSent(ADA), messageSent(ADA)];
  const afterThreeMessages = [...afterTwoMessages, messageSent(ADA)];
  /** A burst of three messages, and one more every 15 minutes from the first one on. */
  const givenLimited = givenLimitedChat({ intervalMs: 15 * 60_000, burst: 3 });

  it('allows a burst of three', () => {
    givenLimited(...afterTwoMessages)
      .when(sendMessage({ decidedAtMs: getEventTime(3) }))
      .then(messageSent(ADA));
  });

  it('refuses a fourth message', () => {
    givenLimited(...afterThreeMessages)
      .when(sendMessage({ decidedAtMs: getEventTime(4) }))
      .thenThrows('rate_limited');
  });

  it('allows the fourth message after the time that the refusal contains', () => {
    const refused = givenLimited(...afterThreeMessages).when(sendMessage({ decidedAtMs: getEventTime(4) }));
    const waitMs = readRetryAfterMs(refused.decide);
    // The token of minute 2 is refilled at minute 17.
    expect(waitMs / 60_000).toBeCloseTo(17 - 4, 3);
    givenLimited(...afterThreeMessages)
      .when(sendMessage({ decidedAtMs: getEventTime(4) + waitMs }))
      .then(messageSent(ADA));
  });

  it('counts each sender separately', () => {
    givenLimited(...afterThreeMessages)
      .when(sendMessage({ decidedAtMs: getEventTime(4), senderId: BOB }))
      .then(messageSent(BOB));
  });

  it('allows a message when a token has been refilled', () => {
    // One message a minute is allowed, and the last one was sent at minute 4.
    givenLimitedChat({ intervalMs: 60_000, burst: 1 })(...afterThreeMessages)
      .when(sendMessage({ decidedAtMs: getEventTime(5) }))
      .then(messageSent(ADA));
  });

  it('allows a message when the clock is behind the time of the last event', () => {
    // The clock is at minute -10, and the last event happened at minute 2.
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

  it('has accepted the last message that fits', () => {
    givenChat(...fullHistory.slice(0, -1))
      .when(sendMessage({ content: 'x', clientId: 'new' }))
      .then(messageSent(ADA, 'x', 'new'));
  });

  it('accepts no more messages', () => {
    givenChat(...fullHistory)
      .when(sendMessage({ clientId: 'new' }))
      .thenThrows('unavailable');
  });

  it('recognises a repeated message', () => {
    givenChat(...fullHistory)
      .when(sendMessage({ clientId: 'c-0' }))
      .thenNothing();
  });

  it('can be ended', () => {
    givenChat(...fullHistory)
      .when(skipChat(ADA))
      .then(chatSkippedBy(ADA));
  });
});

describe('a chat of the maximum size', () => {
  // Four events have the maximum size.
  const givenChatOfLargeEvents = givenChatOfBytes(MAX_CHAT_BYTES / 4);
  const threeEvents = [chatStarted, messageSent(ADA), messageSent(BOB)];
  const fourEvents = [...threeEvents, messageSent(ADA)];

  it('has accepted the message with which it reached this size', () => {
    givenChatOfLargeEvents(...threeEvents)
      .when(sendMessage())
      .then(messageSent(ADA));
  });

  it('accepts no more messages', () => {
    givenChatOfLargeEvents(...fourEvents)
      .when(sendMessage())
      .thenThrows('unavailable');
  });

  it('can be ended', () => {
    givenChatOfLargeEvents(...fourEvents)
      .when(skipChat(ADA))
      .then(chatSkippedBy(ADA));
  });
});

describe('the end of a random chat', () => {
  const chatDisconnected = { type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } };

  it('happens when a participant skips', () => {
    givenChat(chatStarted).when(skipChat(BOB)).then(chatSkippedBy(BOB));
  });

  it('names no user when a participant was away for too long', () => {
    givenChat(chatStarted).when(endAbandonedChat(ADA)).then(chatDisconnected);
  });

  it('happens when Redis has lost a part of the chat, or all of it', () => {
    givenChat(chatStarted).when(endLostChat).then(chatDisconnected);
    givenChat().when(endLostChat).then(chatDisconnected);
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
    const seqOfEnd = 3;
    const repeated = givenChat(chatStarted, messageSent(ADA), chatSkippedBy(BOB)).when(command);
    repeated.thenNothing();
    expect(repeated.decide()).toMatchObject({ alreadyDone: { seq: seqOfEnd } });
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
