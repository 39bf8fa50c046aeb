import { clientFrames } from './client-frames.js';
import { closeCodes, isRetriedClose } from './close-codes.js';
import { credentialsSchema } from './http.js';
import { reactionEmojis, toReactionEmoji } from './emojis.js';
import { reconnectDelayMs } from './limits.js';

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

describe('passwords', () => {
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
