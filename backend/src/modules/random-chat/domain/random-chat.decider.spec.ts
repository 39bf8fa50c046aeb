import { limits } from '@thaw/contract/limits';
import {
  ADA,
  at,
  BOB,
  chatEnded,
  chatStarted,
  EVE,
  givenChat,
  givenChatOfBytes,
  givenLimitedChat,
  messageSent,
  getEventTime,
} from '../../../testing/given-chat.fixture';
import { MAX_BYTES, MAX_EVENTS } from './random-chat.decider';
import type { SendMessage } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

const send = (command: Partial<SendMessage> = {}): SendMessage => ({
  type: 'SendMessage',
  at: getEventTime(60),
  senderId: ADA,
  content: 'hello',
  messageType: 'text',
  replyToId: null,
  clientId: null,
  ...command,
});
const skip = (userId: number) => ({ type: 'SkipChat', userId }) as const;
const abandon = (userId: number) => ({ type: 'EndAbandonedChat', userId }) as const;
const abort = { type: 'AbortChat' } as const;
const endLost = { type: 'EndLostChat' } as const;

const skippedBy = (userId: number): RandomChatEvent => ({
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
      .when(send({ senderId: BOB, content: 'hi', clientId: 'c-1' }))
      .then(messageSent(BOB, 'hi', 'c-1'));
  });

  it.each([
    ['by a user who is not in the chat', [chatStarted], EVE, 'not_in_session'],
    ['by a user who is not in the chat, after the end', [chatStarted, chatEnded], EVE, 'not_in_session'],
    ['in the name of the system', [chatStarted], 0, 'not_in_session'],
    ['in a chat that does not exist', [], ADA, 'not_in_session'],
    ['after the end', [chatStarted, chatEnded], ADA, 'session_ended'],
    ['after the end by the user who ended it', [chatStarted, chatEnded], BOB, 'session_ended'],
  ] as const)('is refused when sent %s', (_, history, senderId, code) => {
    givenChat(...history)
      .when(send({ senderId }))
      .thenThrows(code);
  });

  it('is trimmed and stripped of characters that cannot be stored or seen', () => {
    givenChat(chatStarted)
      .when(send({ content: '  a\u0000\ud800b\r\n\tc \n' }))
      .then(messageSent(ADA, 'a\ufffdb\n\tc'));
  });

  it.each(['', '   ', '\u0000\u0001', '\r\n', '\u200b', '\u2800\u3164', '\u202e'])(
    'is refused when it consists of %j',
    (content) => {
      givenChat(chatStarted).when(send({ content })).thenThrows('invalid_payload');
    },
  );

  it('has at most 2,000 code points, counted after trimming', () => {
    const longest = '🎉'.repeat(limits.messageMaxCodePoints);
    givenChat(chatStarted)
      .when(send({ content: `  ${longest}  ` }))
      .then(messageSent(ADA, longest));
    givenChat(chatStarted)
      .when(send({ content: `${longest}!` }))
      .thenThrows('message_too_long');
  });
});

describe('a repeated message', () => {
  const sentOnce = [chatStarted, messageSent(ADA, 'hello', 'c-1')];

  it('is not stored repeated and refers to the first one, whatever its content', () => {
    const repeated = givenChat(...sentOnce).when(send({ clientId: 'c-1', content: ' ' }));
    repeated.thenNothing();
    expect(repeated.decide()).toEqual({ alreadyDone: at(2) });
  });

  it('is recognised after the end of the chat and above the rate limit', () => {
    const repeated = send({ clientId: 'c-1', at: getEventTime(2) });
    for (const history of [sentOnce, [...sentOnce, chatEnded]]) {
      expect(
        givenLimitedChat({ intervalMs: 60_000, burst: 1 })(...history)
          .when(repeated)
          .decide(),
      ).toEqual({ alreadyDone: at(2) });
    }
  });

  it('is recognised only with the same sender and the same client id', () => {
    givenChat(...sentOnce)
      .when(send({ clientId: 'c-1', senderId: BOB }))
      .then(messageSent(BOB, 'hello', 'c-1'));
    givenChat(...sentOnce)
      .when(send({ clientId: 'c-2' }))
      .then(messageSent(ADA, 'hello', 'c-2'));
    givenChat(...sentOnce)
      .when(send())
      .then(messageSent(ADA));
  });

  it('is not disclosed to a user who is not in the session', () => {
    givenChat(...sentOnce)
      .when(send({ clientId: 'c-1', senderId: EVE }))
      .thenThrows('not_in_session');
  });
});

describe('a reply', () => {
  it('quotes the stored message', () => {
    givenChat(chatStarted, messageSent(BOB, 'do you like rain?'))
      .when(send({ replyToId: at(2).id }))
      .then({
        type: 'MessageSent',
        data: {
          replyTo: { messageId: at(2).id, content: 'do you like rain?', senderId: BOB, senderName: 'bob' },
        },
      });
  });

  it('quotes only as much as is shown, in whole characters', () => {
    const family = '👨‍👩‍👧';
    givenChat(chatStarted, messageSent(ADA, family.repeat(100)))
      .when(send({ replyToId: at(2).id }))
      .then({ data: { replyTo: { content: `${family.repeat(limits.quoteMaxGraphemes)}...` } } });
  });

  it('quotes a bounded number of code points, however long a character is', () => {
    givenChat(chatStarted, messageSent(ADA, `e${'\u0301'.repeat(1_999)}`))
      .when(send({ replyToId: at(2).id }))
      .then({ data: { replyTo: { content: `e${'\u0301'.repeat(479)}...` } } });
  });

  it.each([at(1).id, at(9).id, '0-0'])('is refused when its target %s is not a message', (replyToId) => {
    givenChat(chatStarted, messageSent(ADA)).when(send({ replyToId })).thenThrows('message_not_found');
  });
});

describe('the rate limit of messages', () => {
  const threeMessages = [chatStarted, messageSent(ADA), messageSent(ADA), messageSent(ADA)];
  // 15 minutes per token, so that the three minutes between the messages refill little.
  const givenLimited = givenLimitedChat({ intervalMs: 15 * 60_000, burst: 3 });

  it('allows a burst of three', () => {
    givenLimited(...threeMessages.slice(0, -1))
      .when(send({ at: getEventTime(3) }))
      .then(messageSent(ADA));
  });

  it('refuses a message above the limit, with the time to wait', () => {
    // The first of three was taken at minute 2; thirteen of its fifteen minutes are left at minute 4.
    const tooFast = givenLimited(...threeMessages).when(send({ at: getEventTime(4) }));
    tooFast.thenThrows('rate_limited');
    let waitMs = 0;
    try {
      tooFast.decide();
    } catch (error) {
      waitMs = (error as { retryAfterMs: number }).retryAfterMs;
    }
    expect(waitMs / 60_000).toBeCloseTo(13, 3);
    givenLimited(...threeMessages)
      .when(send({ at: getEventTime(4) + waitMs }))
      .then(messageSent(ADA));
  });

  it('counts each sender separately', () => {
    givenLimited(...threeMessages)
      .when(send({ at: getEventTime(4), senderId: BOB }))
      .then(messageSent(BOB));
  });

  it('allows a message when a token has been refilled', () => {
    givenLimitedChat({ intervalMs: 60_000, burst: 1 })(...threeMessages)
      .when(send({ at: getEventTime(5) }))
      .then(messageSent(ADA));
  });

  it('allows a message when the clock is behind the time of the last event', () => {
    givenLimitedChat({ intervalMs: 1_000, burst: 2 })(chatStarted, messageSent(ADA))
      .when(send({ at: getEventTime(-10) }))
      .then(messageSent(ADA));
  });
});

describe('a full chat', () => {
  const full = [
    chatStarted,
    ...Array.from({ length: MAX_EVENTS - 1 }, (_, index) => messageSent(ADA, 'x', `c-${index}`)),
  ];

  it('accepts no more messages and can still be ended', () => {
    givenChat(...full)
      .when(send({ clientId: 'new' }))
      .thenThrows('unavailable');
    givenChat(...full)
      .when(skip(ADA))
      .then(skippedBy(ADA));
  });

  it('accepts the last message that fits, and recognises repeated ones', () => {
    givenChat(...full.slice(0, -1))
      .when(send({ content: 'x', clientId: 'new' }))
      .then(messageSent(ADA, 'x', 'new'));
    givenChat(...full)
      .when(send({ clientId: 'c-0' }))
      .thenNothing();
  });
});

describe('a chat of 4 MiB', () => {
  // Each event has a quarter of the maximum size.
  const givenQuarters = givenChatOfBytes(MAX_BYTES / 4);
  const past = [chatStarted, messageSent(ADA), messageSent(BOB)];

  it('accepts no more messages and can still be ended', () => {
    givenQuarters(...past)
      .when(send())
      .then(messageSent(ADA));
    givenQuarters(...past, messageSent(ADA))
      .when(send())
      .thenThrows('unavailable');
    givenQuarters(...past, messageSent(ADA))
      .when(skip(ADA))
      .then(skippedBy(ADA));
  });
});

describe('the end of a random chat', () => {
  it('happens when a participant skips', () => {
    givenChat(chatStarted).when(skip(BOB)).then(skippedBy(BOB));
  });

  it('names no user when a participant was away for too long', () => {
    givenChat(chatStarted)
      .when(abandon(ADA))
      .then({ type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } });
  });

  it('happens when Redis has lost a part of the chat, or all of it', () => {
    const ended = { type: 'ChatEnded', data: { reason: 'disconnected', endedBy: null } };
    givenChat(chatStarted).when(endLost).then(ended);
    givenChat().when(endLost).then(ended);
  });

  it('has the reason aborted when the match was released', () => {
    givenChat(chatStarted)
      .when(abort)
      .then({ type: 'ChatEnded', data: { reason: 'aborted', endedBy: null } });
  });

  it.each([skip(ADA), skip(BOB), abandon(ADA), abandon(BOB), abort, endLost])(
    'is stored once: a later %o refers to the first end',
    (command) => {
      const repeated = givenChat(chatStarted, messageSent(ADA), skippedBy(BOB)).when(command);
      repeated.thenNothing();
      expect(repeated.decide()).toMatchObject({ alreadyDone: { seq: 3 } });
    },
  );

  it.each([skip(EVE), abandon(EVE)])('is refused to a user who is not in the session: %o', (command) => {
    givenChat(chatStarted).when(command).thenThrows('not_in_session');
    givenChat(chatStarted, chatEnded).when(command).thenThrows('not_in_session');
  });

  it('is refused before the start', () => {
    givenChat().when(skip(ADA)).thenThrows('not_in_session');
  });
});
