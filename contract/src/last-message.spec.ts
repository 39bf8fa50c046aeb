import { toLastMessage, type PreviewedMessage } from './last-message.js';
import { friendSchema } from './users.js';

const picture = '/api/files/chat-images/0b7c9b7e-3f0a-4a44-9d5c-0f4b8f6f0a11.webp';
const message = (changes: Partial<PreviewedMessage>): PreviewedMessage => ({
  senderId: 7,
  type: 'text',
  content: 'good evening',
  isDeleted: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  ...changes,
});

describe('the newest message in the friends list', () => {
  it('carries the text of a text message', () => {
    expect(toLastMessage(message({}))).toEqual({
      senderId: 7,
      preview: 'good evening',
      type: 'text',
      createdAt: '2026-11-20T12:00:00.000Z',
    });
  });

  it('is cut after 80 code points, and never inside one', () => {
    const { preview } = toLastMessage(message({ content: '🦦'.repeat(81) }));
    expect(preview).toBe('🦦'.repeat(80));
  });

  it('carries no text of an image, and never the address of one', () => {
    expect(toLastMessage(message({ type: 'image', content: picture })).preview).toBe('');
    const { preview } = toLastMessage(message({ type: 'mixed', content: `look\n[IMAGE:${picture}]` }));
    expect(preview).toBe('look');
  });

  it('carries nothing of a deleted message, not even that it was an image', () => {
    expect(toLastMessage(message({ type: 'image', content: picture, isDeleted: true }))).toMatchObject({
      preview: '',
      type: 'text',
    });
  });
});

it('reads a friend of a server of an earlier release as one without messages', () => {
  const friend = { id: 12, username: 'brave-heron-7', avatar: null, isOnline: true };
  expect(friendSchema.parse(friend)).toEqual({ ...friend, lastMessage: null });
});
