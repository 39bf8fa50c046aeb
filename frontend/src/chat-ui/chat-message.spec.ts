import { SYSTEM_SENDER_ID } from '@thaw/contract/scalars';
import {
  canBeEdited,
  canBeReactedTo,
  findPositionInGroup,
  isLargeEmoji,
  type ChatMessage,
  type GroupPosition,
} from '@/chat-ui/chat-message';
import { aMessage } from '@/testing/factories';

const ownId = 7;
const partnerId = 12;
const fiveMinutesMs = 300_000;

describe('findPositionInGroup', () => {
  const findPositions = (messages: readonly ChatMessage[]): GroupPosition[] =>
    messages.map((_, index) => findPositionInGroup(messages, index));
  const alone: GroupPosition = { isFirst: true, isLast: true };

  it('groups messages of one sender, each sent within five minutes of the previous one', () => {
    const messages = [0, fiveMinutesMs, 2 * fiveMinutesMs].map((timestamp) => aMessage({ timestamp }));
    expect(findPositions(messages)).toEqual([
      { isFirst: true, isLast: false },
      { isFirst: false, isLast: false },
      { isFirst: false, isLast: true },
    ]);
  });

  it('does not group a message that was sent later than five minutes after the previous one', () => {
    const messages = [0, fiveMinutesMs + 1].map((timestamp) => aMessage({ timestamp }));
    expect(findPositions(messages)).toEqual([alone, alone]);
  });

  it('does not group messages of different senders', () => {
    const messages = [partnerId, ownId].map((senderId) => aMessage({ senderId }));
    expect(findPositions(messages)).toEqual([alone, alone]);
  });

  it('never groups notices', () => {
    const notice = aMessage({ senderId: SYSTEM_SENDER_ID });
    expect(findPositions([notice, notice])).toEqual([alone, alone]);
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
