import { clientFrames } from './client-frames.js';
import { closeCodes, shouldReconnectAfter } from './close-codes.js';
import { envelopeSchema } from './envelope.js';
import { credentialsSchema } from './http.js';
import { reactionEmojis, toReactionEmoji } from './emojis.js';
import { reconnectDelayMs } from './limits.js';
import { timestampSchema } from './scalars.js';

describe('the schemas of frames from clients', () => {
  it('default to the preference "both" in join_queue', () => {
    expect(clientFrames.join_queue.parse({})).toEqual({ preferences: 'both' });
  });

  it('reject an unknown preference in join_queue', () => {
    expect(clientFrames.join_queue.safeParse({ preferences: 'any' }).success).toBe(false);
  });

  it('drop unknown fields, including those inside replyTo', () => {
    const parsed = clientFrames.random_message.parse({
      sessionId: 's',
      content: 'hi',
      messageType: 'text',
      replyTo: { messageId: '1-0', senderName: 'forged' },
      senderId: 7,
    });
    expect(parsed).toEqual({
      sessionId: 's',
      content: 'hi',
      messageType: 'text',
      replyTo: { messageId: '1-0' },
    });
  });

  it('reject user ids that are not positive safe integers', () => {
    for (const userId of [0, -1, 1.5, '1', null, 2 ** 53]) {
      expect(clientFrames.authenticate.safeParse({ userId }).success).toBe(false);
    }
  });
});

describe('ids in frames from clients', () => {
  const isAccepted = (event: keyof typeof clientFrames, data: object): boolean =>
    clientFrames[event].safeParse(data).success;
  const message = { sessionId: 's', content: '', messageType: 'text' };

  /** For each kind of field with an id: whether its schema accepts `id`. */
  const checkInEachField = (id: string) => ({
    clientId: isAccepted('random_message', { ...message, clientId: id }),
    sessionIdOfMessage: isAccepted('random_message', { ...message, sessionId: id }),
    gameId: isAccepted('break_ice_ignore', { sessionId: 's', gameId: id, userId: 1 }),
    sessionIdOfTyping: isAccepted('typing', { sessionId: id }),
    sessionIdOfLastSeen: isAccepted('authenticate', { userId: 1, lastSeen: { sessionId: id, seq: 0 } }),
    ref: envelopeSchema.safeParse({ event: 'ping', ref: id }).success,
  });

  it.each([
    ['ASCII characters only', 'c-1'],
    ['letters and emojis beyond ASCII', 'ü👍'],
    ['a space', 'with space'],
    ['64 characters', 'x'.repeat(64)],
  ])('are accepted with %s', (_case, id) => {
    expect(Object.values(checkInEachField(id))).not.toContain(false);
  });

  it.each([
    ['no character', ''],
    ['65 characters', 'x'.repeat(65)],
    ['NUL', 'x\u0000'],
    ['a lone high surrogate', 'y\ud800'],
    ['a lone low surrogate', '\udc00'],
    ['a line feed', 'a\nb'],
    ['DEL', 'a\u007f'],
    ['a C1 control', 'a\u0085'],
  ])('are rejected with %s', (_case, id) => {
    expect(Object.values(checkInEachField(id))).not.toContain(true);
  });
});

describe('passwords', () => {
  const isValid = (password: string): boolean =>
    credentialsSchema.safeParse({ email: 'a@example.org', password }).success;

  it('are rejected with a lone surrogate, because all lone surrogates are hashed alike', () => {
    expect(isValid('secret\ud800')).toBe(false);
    // UTF-8 encodes every lone surrogate as U+FFFD, which is a valid character.
    expect(isValid('secret\ufffd')).toBe(true);
  });

  it('are accepted with 6 to 128 code points, and rejected with fewer or more', () => {
    // Each emoji is one code point and two UTF-16 code units.
    expect(isValid('👍👍👍')).toBe(false);
    expect(isValid('👍👍👍👍👍👍')).toBe(true);
    expect(isValid('👍'.repeat(128))).toBe(true);
    expect(isValid('👍'.repeat(129))).toBe(false);
  });
});

describe('reconnectDelayMs', () => {
  it('is 1, 2, 4, 8 and 16 s before the first five attempts, and never more than 30 s', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(reconnectDelayMs)).toEqual([
      1000, 2000, 4000, 8000, 16000, 30000, 30000,
    ]);
  });
});

describe('shouldReconnectAfter', () => {
  it('is true after a service restart or a lost connection, and false after a normal close or if not signed in', () => {
    expect(shouldReconnectAfter(closeCodes.normal)).toBe(false);
    expect(shouldReconnectAfter(closeCodes.notSignedIn)).toBe(false);
    expect(shouldReconnectAfter(closeCodes.serviceRestart)).toBe(true);
    expect(shouldReconnectAfter(closeCodes.abnormal)).toBe(true);
  });
});

describe('toReactionEmoji', () => {
  it('finds one of the ten reactions with or without the variation selector, and no other emoji', () => {
    expect(reactionEmojis).toHaveLength(10);
    expect(toReactionEmoji('❤')).toBe('❤️');
    expect(toReactionEmoji('❤️')).toBe('❤️');
    expect(toReactionEmoji('🍕')).toBeUndefined();
  });
});

describe('timestampSchema', () => {
  it.each(['2026-11-20T12:00:00.000Z', new Date(0).toISOString(), '2026-11-20T12:00:00Z'])(
    'accepts %s',
    (time) => {
      expect(timestampSchema.safeParse(time).success).toBe(true);
    },
  );

  it.each([
    ['an empty string', ''],
    ['a word', 'yesterday'],
    ['a date without a time', '2026-11-20'],
    ['an impossible month', '2026-13-30T12:00:00.000Z'],
    ['a time zone other than UTC', '2026-11-20T12:00:00+01:00'],
    ['milliseconds since 1970', '1763640000000'],
  ])('rejects %s: %j', (_case, time) => {
    expect(timestampSchema.safeParse(time).success).toBe(false);
  });
});
