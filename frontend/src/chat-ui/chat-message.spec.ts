import { isLargeEmoji, positionInGroup, type ChatMessage } from '@/chat-ui/chat-message';

const message = (changes: Partial<ChatMessage>): ChatMessage => ({
  id: '1-0',
  key: '1-0',
  senderId: 12,
  content: 'hi',
  type: 'text',
  timestamp: 0,
  replyTo: null,
  reactions: {},
  isEdited: false,
  delivery: 'sent',
  ...changes,
});

describe('grouping', () => {
  it('joins the same sender within five minutes of the message before', () => {
    const messages = [
      message({ timestamp: 0 }),
      message({ timestamp: 300_000 }),
      message({ timestamp: 600_001 }),
      message({ timestamp: 600_002, senderId: 7 }),
    ];
    expect(messages.map((_, index) => positionInGroup(messages, index))).toEqual([
      { isFirst: true, isLast: false },
      { isFirst: false, isLast: true },
      { isFirst: true, isLast: true },
      { isFirst: true, isLast: true },
    ]);
  });

  it('never joins notices', () => {
    const messages = [message({ senderId: 0 }), message({ senderId: 0 })];
    expect(positionInGroup(messages, 1).isFirst).toBe(true);
  });
});

describe('emojis alone', () => {
  it.each(['😂', '❤️', '👍🏽', '🇵🇱', '👨‍👩‍👧', '🍎🍎', '🍎 🍎 🍎'])('shows %s large', (content) => {
    expect(isLargeEmoji(message({ content }))).toBe(true);
  });

  it.each(['🍎🍎🍎🍎', 'hi 😂', '12', '#', 'ok', ''])('shows "%s" in a bubble', (content) => {
    expect(isLargeEmoji(message({ content }))).toBe(false);
  });
});
