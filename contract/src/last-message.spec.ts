import { toLastMessage, type PreviewedMessage } from './last-message.js';
import { friendSchema } from './users.js';

const picture = '/api/files/chat-images/0b7c9b7e-3f0a-4a44-9d5c-0f4b8f6f0a11.webp';
const createMessage = (changes: Partial<PreviewedMessage>): PreviewedMessage => ({
  senderId: 7,
  type: 'text',
  content: 'good evening',
  isDeleted: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  ...changes,
});

describe('toLastMessage', () => {
  it('returns the text of a text message', () => {
    expect(toLastMessage(createMessage({}))).toEqual({
      senderId: 7,
      preview: 'good evening',
      type: 'text',
      createdAt: '2026-11-20T12:00:00.000Z',
    });
  });

  it('cuts the preview after 80 code points without splitting a surrogate pair', () => {
    const { preview } = toLastMessage(createMessage({ content: '🦦'.repeat(81) }));
    expect(preview).toBe('🦦'.repeat(80));
  });

  it('returns no preview for an image, and only the text of a mixed message', () => {
    expect(toLastMessage(createMessage({ type: 'image', content: picture })).preview).toBe('');
    const { preview } = toLastMessage(createMessage({ type: 'mixed', content: `look\n[IMAGE:${picture}]` }));
    expect(preview).toBe('look');
  });

  it('reveals neither the content nor the type of a deleted message', () => {
    expect(toLastMessage(createMessage({ type: 'image', content: picture, isDeleted: true }))).toMatchObject({
      preview: '',
      type: 'text',
    });
  });
});

it('friendSchema accepts a friend without lastMessage, as sent by an earlier release', () => {
  const friend = { id: 12, username: 'brave-heron-7', avatar: null, isOnline: true };
  expect(friendSchema.parse(friend)).toEqual({ ...friend, lastMessage: null });
});
