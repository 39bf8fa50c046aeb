import { limits } from '@thaw/contract/limits';
import {
  ADA,
  BOB,
  chatStarted,
  getEventPosition,
  getEventTime,
  givenChat,
} from '../../../testing/given-chat.fixture';
import type { RandomChatCommand } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

const IMAGE_URL = '/api/files/chat-images/0b9a7a3e-5a5b-4c0e-9d3f-6f6f3a1f0001.webp';
const OTHER_IMAGE_URL = '/api/files/chat-images/0b9a7a3e-5a5b-4c0e-9d3f-6f6f3a1f0002.jpg';

const sendMessage = (
  messageType: 'text' | 'image' | 'mixed',
  content: string,
  replyToId: string | null = null,
): RandomChatCommand => ({
  type: 'SendMessage',
  decidedAtMs: getEventTime(60), // an hour after the start of the chat
  senderId: ADA,
  content,
  messageType,
  replyToId,
  clientId: null,
});
const createMessageSent = (messageType: 'image' | 'mixed', content: string): RandomChatEvent => ({
  type: 'MessageSent',
  data: { senderId: BOB, content, messageType, replyTo: null, clientId: null },
});

describe('a message with images', () => {
  it('is accepted when its content is the address of a chat image', () => {
    givenChat(chatStarted)
      .when(sendMessage('image', IMAGE_URL))
      .then({ data: { content: IMAGE_URL, messageType: 'image' } });
  });

  it.each([
    'https://evil.example/pixel.gif',
    '/api/files/avatars/a.webp',
    '//evil.example/x.jpg',
    'hello',
    '',
  ])('is refused when its image is %j', (content) => {
    givenChat(chatStarted).when(sendMessage('image', content)).thenThrows('image_not_yours');
  });

  it('is accepted, and trimmed, when it is text followed by images', () => {
    const content = `look\n[IMAGE:${IMAGE_URL}]\n[IMAGE:${OTHER_IMAGE_URL}]`;
    givenChat(chatStarted)
      .when(sendMessage('mixed', ` ${content} `))
      .then({ data: { content, messageType: 'mixed' } });
  });

  it(`is refused with more than ${limits.imagesPerMessage} images`, () => {
    const createImageMarkers = (count: number) =>
      Array.from({ length: count }, () => `[IMAGE:${IMAGE_URL}]`).join('\n');
    givenChat(chatStarted)
      .when(sendMessage('mixed', `look\n${createImageMarkers(limits.imagesPerMessage)}`))
      .then({ type: 'MessageSent' });
    givenChat(chatStarted)
      .when(sendMessage('mixed', `look\n${createImageMarkers(limits.imagesPerMessage + 1)}`))
      .thenThrows('invalid_payload');
  });

  it('is refused with the type mixed when it has no chat image or no text', () => {
    givenChat(chatStarted).when(sendMessage('mixed', 'look')).thenThrows('image_not_yours');
    givenChat(chatStarted)
      .when(sendMessage('mixed', 'look\n[IMAGE:https://evil.example/x.gif]'))
      .thenThrows('image_not_yours');
    givenChat(chatStarted)
      .when(sendMessage('mixed', `\n[IMAGE:${IMAGE_URL}]`))
      .thenThrows('invalid_payload');
  });

  it('counts only the text towards the maximum length', () => {
    const longestText = 'x'.repeat(limits.messageMaxCodePoints);
    givenChat(chatStarted)
      .when(sendMessage('mixed', `${longestText}\n[IMAGE:${IMAGE_URL}]`))
      .then({ type: 'MessageSent' });
    givenChat(chatStarted)
      .when(sendMessage('mixed', `${longestText}x\n[IMAGE:${IMAGE_URL}]`))
      .thenThrows('message_too_long');
  });

  it('may contain an image marker as plain text when its type is text', () => {
    const content = `[IMAGE:${IMAGE_URL}]`;
    givenChat(chatStarted)
      .when(sendMessage('text', content))
      .then({ data: { content, messageType: 'text' } });
  });

  it('is quoted in a reply by its text, or as Photo if it has no text', () => {
    givenChat(chatStarted, createMessageSent('image', IMAGE_URL))
      .when(sendMessage('text', 'nice', getEventPosition(2).id))
      .then({ data: { replyTo: { content: 'Photo' } } });
    givenChat(chatStarted, createMessageSent('mixed', `look\n[IMAGE:${IMAGE_URL}]`))
      .when(sendMessage('text', 'nice', getEventPosition(2).id))
      .then({ data: { replyTo: { content: 'look' } } });
  });
});
