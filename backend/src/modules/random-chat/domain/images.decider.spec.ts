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

/** ADA sends a message an hour after the start of the chat. */
const sendMessage = (
  messageType: 'text' | 'image' | 'mixed',
  content: string,
  { replyToId = null }: { replyToId?: string | null } = {},
): RandomChatCommand => ({
  type: 'SendMessage',
  decidedAtMs: getEventTime(60),
  senderId: ADA,
  content,
  messageType,
  replyToId,
  clientId: null,
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

  it.each([
    ['no image', 'look', 'image_not_yours'],
    ['an image of another site', 'look\n[IMAGE:https://evil.example/x.gif]', 'image_not_yours'],
    ['no text', `\n[IMAGE:${IMAGE_URL}]`, 'invalid_payload'],
  ] as const)('is refused when its type is mixed and it has %s', (_, content, code) => {
    givenChat(chatStarted).when(sendMessage('mixed', content)).thenThrows(code);
  });

  it('may have a text of the maximum length in addition to its images, but no longer text', () => {
    const longestText = 'x'.repeat(limits.messageMaxCodePoints);
    givenChat(chatStarted)
      .when(sendMessage('mixed', `${longestText}\n[IMAGE:${IMAGE_URL}]`))
      .then({ type: 'MessageSent' });
    givenChat(chatStarted)
      .when(sendMessage('mixed', `${longestText}x\n[IMAGE:${IMAGE_URL}]`))
      .thenThrows('message_too_long');
  });

  it.each([
    ['as Photo, if it has no text', 'image', IMAGE_URL, 'Photo'],
    ['by its text, if it has one', 'mixed', `look\n[IMAGE:${IMAGE_URL}]`, 'look'],
  ] as const)('is quoted in a reply %s', (_, messageType, content, quote) => {
    const messageSent: RandomChatEvent = {
      type: 'MessageSent',
      data: { senderId: BOB, content, messageType, replyTo: null, clientId: null },
    };
    const messageId = getEventPosition(2).id; // the message is the second event of the chat
    givenChat(chatStarted, messageSent)
      .when(sendMessage('text', 'nice', { replyToId: messageId }))
      .then({ data: { replyTo: { content: quote } } });
  });
});

describe('a message of the type text', () => {
  it('may contain an image marker as plain text', () => {
    const content = `[IMAGE:${IMAGE_URL}]`;
    givenChat(chatStarted)
      .when(sendMessage('text', content))
      .then({ data: { content, messageType: 'text' } });
  });
});
