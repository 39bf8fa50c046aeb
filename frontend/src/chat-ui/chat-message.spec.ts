import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import { canBeReactedTo, isLargeEmoji, canBeEdited, findPositionInGroup } from '@/chat-ui/chat-message';
import { aMessage } from '@/testing/factories';

const ownId = 7;
const partnerId = 12;
const fiveMinutesMs = 300_000;

describe('findPositionInGroup', () => {
  it('groups messages of one sender within five minutes of the previous one', () => {
    const messages = [
      aMessage({ timestamp: 0, senderId: partnerId }),
      aMessage({ timestamp: fiveMinutesMs, senderId: partnerId }),
      aMessage({ timestamp: 2 * fiveMinutesMs + 1, senderId: partnerId }),
      aMessage({ timestamp: 2 * fiveMinutesMs + 2, senderId: ownId }),
    ];
    expect(messages.map((_, index) => findPositionInGroup(messages, index))).toEqual([
      { isFirst: true, isLast: false },
      { isFirst: false, isLast: true },
      { isFirst: true, isLast: true },
      { isFirst: true, isLast: true },
    ]);
  });

  it('never groups notices', () => {
    const notice = aMessage({ senderId: SYSTEM_SENDER_ID });
    const messages = [notice, notice];
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

describe('canBeReactedTo', () => {
  it('is true only for a sent message that is not deleted', () => {
    expect(canBeReactedTo(aMessage())).toBe(true);
    expect(canBeReactedTo(aMessage({ delivery: 'sending' }))).toBe(false);
    expect(canBeReactedTo(aMessage({ isDeleted: true }))).toBe(false);
  });

  it('is false for notices and cards', () => {
    expect(canBeReactedTo(aMessage({ senderId: SYSTEM_SENDER_ID }))).toBe(false);
    expect(canBeReactedTo(aMessage({ card: { kind: 'a card' } }))).toBe(false);
  });
});

describe('canBeEdited', () => {
  it("is true only for the user's own messages without a picture", () => {
    expect(canBeEdited(aMessage({ senderId: ownId }), ownId)).toBe(true);
    expect(canBeEdited(aMessage({ senderId: partnerId }), ownId)).toBe(false);
    expect(canBeEdited(aMessage({ senderId: ownId, type: 'mixed' }), ownId)).toBe(false);
  });
});
