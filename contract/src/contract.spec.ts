import { clientFrames } from './client-frames.js';
import { closeCodes, isRetriedClose } from './close-codes.js';
import { envelopeSchema } from './envelope.js';
import { credentialsSchema } from './http.js';
import { reactionEmojis, toReactionEmoji } from './emojis.js';
import { reconnectDelayMs } from './limits.js';
import { timestampSchema } from './scalars.js';

describe('client frames', () => {
  it('default the preference to both', () => {
    expect(clientFrames.join_queue.parse({})).toEqual({ preferences: 'both' });
  });

  it('refuse a preference that is none', () => {
    expect(clientFrames.join_queue.safeParse({ preferences: 'any' }).success).toBe(false);
  });

  it('drop unknown fields, also inside replyTo', () => {
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

  it('refuse ids that are not positive integers', () => {
    for (const userId of [0, -1, 1.5, '1', null, 2 ** 53]) {
      expect(clientFrames.authenticate.safeParse({ userId }).success).toBe(false);
    }
  });
});

describe('ids that clients make', () => {
  const parse = (id: string) => {
    const of = (event: 'random_message' | 'break_ice_ignore' | 'typing' | 'authenticate', data: object) =>
      clientFrames[event].safeParse(data).success;
    return [
      of('random_message', { sessionId: 's', content: '', messageType: 'text', clientId: id }),
      of('random_message', { sessionId: id, content: '', messageType: 'text' }),
      of('break_ice_ignore', { sessionId: 's', gameId: id, userId: 1 }),
      of('typing', { sessionId: id }),
      of('authenticate', { userId: 1, lastSeen: { sessionId: id, seq: 0 } }),
      envelopeSchema.safeParse({ event: 'ping', ref: id }).success,
    ];
  };
  const all = (isAccepted: boolean) => Array.from({ length: 6 }, () => isAccepted);

  it.each(['c-1', 'ü👍', 'with space', 'x'.repeat(64)])('accept %j', (id) => {
    expect(parse(id)).toEqual(all(true));
  });

  it.each([
    ['nothing', ''],
    ['65 characters', 'x'.repeat(65)],
    ['NUL', 'x\u0000'],
    ['half a surrogate pair', 'y\ud800'],
    ['the other half', '\udc00'],
    ['a line feed', 'a\nb'],
    ['DEL', 'a\u007f'],
    ['a C1 control', 'a\u0085'],
  ])('refuse %s', (_, id) => {
    expect(parse(id)).toEqual(all(false));
  });
});

describe('passwords', () => {
  it('are refused when they are ill-formed, since all of those would have one hash', () => {
    const isAccepted = (password: string) =>
      credentialsSchema.safeParse({ email: 'a@example.org', password }).success;
    expect(isAccepted('secret\ud800')).toBe(false);
    expect(isAccepted('secret\ufffd')).toBe(true);
  });

  const isValid = (password: string) =>
    credentialsSchema.safeParse({ email: 'a@example.org', password }).success;

  it('are measured in code points', () => {
    expect(isValid('👍👍👍')).toBe(false);
    expect(isValid('👍👍👍👍👍👍')).toBe(true);
    expect(isValid('👍'.repeat(128))).toBe(true);
    expect(isValid('👍'.repeat(129))).toBe(false);
  });
});

describe('reconnecting', () => {
  it('waits 1, 2, 4, 8 and 16 s, never more than 30', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(reconnectDelayMs)).toEqual([
      1000, 2000, 4000, 8000, 16000, 30000, 30000,
    ]);
  });

  it('is not tried after a normal close, but after a drain', () => {
    expect(isRetriedClose(closeCodes.normal)).toBe(false);
    expect(isRetriedClose(closeCodes.notSignedIn)).toBe(false);
    expect(isRetriedClose(closeCodes.serviceRestart)).toBe(true);
    expect(isRetriedClose(closeCodes.abnormal)).toBe(true);
  });
});

describe('reaction emojis', () => {
  it('are ten, and compared without the variation selector', () => {
    expect(reactionEmojis).toHaveLength(10);
    expect(toReactionEmoji('❤')).toBe('❤️');
    expect(toReactionEmoji('🍕')).toBeUndefined();
  });
});

describe('timestamps', () => {
  it.each(['2026-11-20T12:00:00.000Z', new Date(0).toISOString(), '2026-11-20T12:00:00Z'])(
    'accept %s',
    (time) => {
      expect(timestampSchema.safeParse(time).success).toBe(true);
    },
  );

  it.each([
    '',
    'yesterday',
    '2026-11-20',
    '2026-13-30T12:00:00.000Z',
    '2026-11-20T12:00:00+01:00',
    '1763640000000',
  ])('refuse %j', (time) => {
    expect(timestampSchema.safeParse(time).success).toBe(false);
  });
});
