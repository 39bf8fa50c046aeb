import { canBeReactedTo, isLargeEmoji, isOwnText, positionInGroup } from '@/chat-ui/chat-message';
import { aMessage } from '@/testing/factories';

describe('grouping', () => {
  it('joins the same sender within five minutes of the message before', () => {
    const messages = [
      aMessage({ timestamp: 0 }),
      aMessage({ timestamp: 300_000 }),
      aMessage({ timestamp: 600_001 }),
      aMessage({ timestamp: 600_002, senderId: 7 }),
    ];
    expect(messages.map((_, index) => positionInGroup(messages, index))).toEqual([
      { isFirst: true, isLast: false },
      { isFirst: false, isLast: true },
      { isFirst: true, isLast: true },
      { isFirst: true, isLast: true },
    ]);
  });

  it('never joins notices', () => {
    const messages = [aMessage({ senderId: 0 }), aMessage({ senderId: 0 })];
    expect(positionInGroup(messages, 1).isFirst).toBe(true);
  });
});

describe('emojis alone', () => {
  it.each(['😂', '❤️', '👍🏽', '🇵🇱', '👨‍👩‍👧', '🍎🍎', '🍎 🍎 🍎'])('shows %s large', (content) => {
    expect(isLargeEmoji(aMessage({ content }))).toBe(true);
  });

  it.each(['🍎🍎🍎🍎', 'hi 😂', '12', '#', 'ok', ''])('shows "%s" in a bubble', (content) => {
    expect(isLargeEmoji(aMessage({ content }))).toBe(false);
  });
});

describe('what can be done with a message', () => {
  it('is everything with what somebody said, once it is sent', () => {
    expect(canBeReactedTo(aMessage())).toBe(true);
    expect(canBeReactedTo(aMessage({ delivery: 'sending' }))).toBe(false);
    expect(canBeReactedTo(aMessage({ isDeleted: true }))).toBe(false);
  });

  it('is nothing with notices and cards (A112)', () => {
    expect(canBeReactedTo(aMessage({ senderId: 0 }))).toBe(false);
    expect(canBeReactedTo(aMessage({ card: { kind: 'a card' } }))).toBe(false);
  });

  it('is editing for my own text alone', () => {
    expect(isOwnText(aMessage({ senderId: 7 }), 7)).toBe(true);
    expect(isOwnText(aMessage({ senderId: 12 }), 7)).toBe(false);
    expect(isOwnText(aMessage({ senderId: 7, type: 'mixed' }), 7)).toBe(false);
  });
});
