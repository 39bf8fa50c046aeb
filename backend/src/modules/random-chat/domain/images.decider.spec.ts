import { ADA, at, BOB, chatStarted, givenChat, getEventTime } from '../../../testing/given-chat.fixture';
import type { RandomChatCommand } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

const IMAGE_URL = '/api/files/chat-images/0b9a7a3e-5a5b-4c0e-9d3f-6f6f3a1f0001.webp';
const OTHER_IMAGE_URL = '/api/files/chat-images/0b9a7a3e-5a5b-4c0e-9d3f-6f6f3a1f0002.jpg';

const send = (
  messageType: 'text' | 'image' | 'mixed',
  content: string,
  replyToId: string | null = null,
): RandomChatCommand => ({
  type: 'SendMessage',
  at: getEventTime(1_000),
  senderId: ADA,
  content,
  messageType,
  replyToId,
  clientId: null,
});
const sent = (messageType: 'image' | 'mixed', content: string): RandomChatEvent => ({
  type: 'MessageSent',
  data: { senderId: BOB, content, messageType, replyTo: null, clientId: null },
});

describe('a message with images', () => {
  it('accepts the address of an uploaded chat image', () => {
    givenChat(chatStarted)
      .when(send('image', IMAGE_URL))
      .then({ data: { content: IMAGE_URL, messageType: 'image' } });
  });

  it.each([
    'https://evil.example/pixel.gif',
    '/api/files/avatars/a.webp',
    '//evil.example/x.jpg',
    'hello',
    '',
  ])('is refused when its image is %j', (content) => {
    givenChat(chatStarted).when(send('image', content)).thenThrows('image_not_yours');
  });

  it('accepts text followed by one or more images', () => {
    const content = `look\n[IMAGE:${IMAGE_URL}]\n[IMAGE:${OTHER_IMAGE_URL}]`;
    givenChat(chatStarted)
      .when(send('mixed', ` ${content} `))
      .then({ data: { content, messageType: 'mixed' } });
  });

  it('is refused with more than four images', () => {
    const createImages = (count: number) =>
      Array.from({ length: count }, () => `[IMAGE:${IMAGE_URL}]`).join('\n');
    givenChat(chatStarted)
      .when(send('mixed', `look\n${createImages(4)}`))
      .then({ type: 'MessageSent' });
    givenChat(chatStarted)
      .when(send('mixed', `look\n${createImages(5)}`))
      .thenThrows('invalid_payload');
  });

  it('is refused as mixed without an image or without text', () => {
    givenChat(chatStarted).when(send('mixed', 'look')).thenThrows('image_not_yours');
    givenChat(chatStarted)
      .when(send('mixed', 'look\n[IMAGE:https://evil.example/x.gif]'))
      .thenThrows('image_not_yours');
    givenChat(chatStarted)
      .when(send('mixed', `\n[IMAGE:${IMAGE_URL}]`))
      .thenThrows('invalid_payload');
  });

  it('counts only the text towards the maximum length', () => {
    givenChat(chatStarted)
      .when(send('mixed', `${'x'.repeat(2_000)}\n[IMAGE:${IMAGE_URL}]`))
      .then({ type: 'MessageSent' });
    givenChat(chatStarted)
      .when(send('mixed', `${'x'.repeat(2_001)}\n[IMAGE:${IMAGE_URL}]`))
      .thenThrows('message_too_long');
  });

  it('keeps an image marker in a text message as text', () => {
    givenChat(chatStarted)
      .when(send('text', `[IMAGE:${IMAGE_URL}]`))
      .then({ data: { messageType: 'text' } });
  });

  it('is quoted by its text, or as Photo if it has none', () => {
    givenChat(chatStarted, sent('image', IMAGE_URL))
      .when(send('text', 'nice', at(2).id))
      .then({ data: { replyTo: { content: 'Photo' } } });
    givenChat(chatStarted, sent('mixed', `look\n[IMAGE:${IMAGE_URL}]`))
      .when(send('text', 'nice', at(2).id))
      .then({ data: { replyTo: { content: 'look' } } });
  });
});
