import { canBeReactedTo, isLargeEmoji, isOwnText, findPositionInGroup } from '@/chat-ui/chat-message';
import { aMessage } from '@/testing/factories';

describe('findPositionInGroup', () => {
  it('groups messages of one sender within five minutes of the previous one', () => {
    const messages = [
      aMessage({ timestamp: 0 }),
      aMessage({ timestamp: 300_000 }),
      aMessage({ timestamp: 600_001 }),
      aMessage({ timestamp: 600_002, senderId: 7 }),
    ];
    expect(messages.map((_, index) => findPositionInGroup(messages, index))).toEqual([
      { isFirst: true, isLast: false },
      { isFirst: false, isLast: true },
      { isFirst: true, isLast: true },
      { isFirst: true, isLast: true },
    ]);
  });

  it('never groups notices', () => {
    const messages = [aMessage({ senderId: 0 }), aMessage({ senderId: 0 })];
    expect(findPositionInGroup(messages, 1).isFirst).toBe(true);
  });
});

describe('isLargeEmoji', () => {
  it.each(['😂', '❤️', '👍🏽', '🇵🇱', '👨‍👩‍👧', '🍎🍎', '🍎 🍎 🍎'])('shows %s large', (content) => {
    expect(isLargeEmoji(aMessage({ content }))).toBe(true);
  });

  it.each(['🍎🍎🍎🍎', 'hi 😂', '12', '#', 'ok', ''])('shows "%s" in a bubble', (content) => {
    expect(isLargeEmoji(aMessage({ content }))).toBe(false);
  });
});

describe('actions on a message', () => {
  it('allow reactions to a sent message that is not deleted', () => {
    expect(canBeReactedTo(aMessage())).toBe(true);
    expect(canBeReactedTo(aMessage({ delivery: 'sending' }))).toBe(false);
    expect(canBeReactedTo(aMessage({ isDeleted: true }))).toBe(false);
  });

  it('exclude notices and cards (A112)', () => {
    expect(canBeReactedTo(aMessage({ senderId: 0 }))).toBe(false);
    expect(canBeReactedTo(aMessage({ card: { kind: 'a card' } }))).toBe(false);
  });

  it("allow editing only of the user's own text", () => {
    expect(isOwnText(aMessage({ senderId: 7 }), 7)).toBe(true);
    expect(isOwnText(aMessage({ senderId: 12 }), 7)).toBe(false);
    expect(isOwnText(aMessage({ senderId: 7, type: 'mixed' }), 7)).toBe(false);
  });
});
