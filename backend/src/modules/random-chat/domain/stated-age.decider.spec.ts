import {
  ADA,
  BOB,
  chatEnded,
  chatStarted,
  givenChat,
  messageSent,
  getEventPosition,
  getEventTime,
} from '../../../testing/given-chat.fixture';
import type { EditMessage, SendMessage } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

const IMAGE_URL = '/api/files/chat-images/0b9a7a3e-5a5b-4c0e-9d3f-6f6f3a1f0001.webp';
/** The position of the message, in the chats that have one: the second event, after `ChatStarted`. */
const MESSAGE_POSITION = getEventPosition(2);
const MESSAGE_ID = MESSAGE_POSITION.id;

const sendMessage = (content: string, command: Partial<SendMessage> = {}): SendMessage => ({
  type: 'SendMessage',
  decidedAtMs: getEventTime(60),
  senderId: ADA,
  content,
  messageType: 'text',
  replyToId: null,
  clientId: null,
  ...command,
});
const editMessage = (content: string): EditMessage => ({
  type: 'EditMessage',
  decidedAtMs: getEventTime(60),
  editorId: BOB,
  messageId: MESSAGE_ID,
  content,
});
const createEndedForAge = (userId: number, messageId: string | null): RandomChatEvent => ({
  type: 'ChatEnded',
  data: { reason: 'removed', endedBy: null, finding: { kind: 'stated_age', userId, messageId } },
});

// `14f` in the tests below means: 14 years old, female.
describe('a message in which its sender states to be under 18', () => {
  it('is stored and ends the chat, in one decision', () => {
    givenChat(chatStarted)
      .when(sendMessage("hi, i'm 14"))
      .then(messageSent(ADA, "hi, i'm 14"), createEndedForAge(ADA, null));
  });

  it('ends the chat when it is the text of an edit', () => {
    givenChat(chatStarted, messageSent(BOB, "i'm 41"))
      .when(editMessage("i'm 14"))
      .then(
        { type: 'MessageEdited', data: { messageId: MESSAGE_ID, editorId: BOB, content: "i'm 14" } },
        createEndedForAge(BOB, MESSAGE_ID),
      );
  });

  it('ends the chat when it is the text above an image; digits in the address of an image are ignored', () => {
    givenChat(chatStarted)
      .when(sendMessage(`14f\n[IMAGE:${IMAGE_URL}]`, { messageType: 'mixed' }))
      .then({ type: 'MessageSent' }, createEndedForAge(ADA, null));
    givenChat(chatStarted)
      .when(sendMessage(IMAGE_URL, { messageType: 'image' }))
      // `then` expects exactly these events, so the chat has not ended.
      .then({ type: 'MessageSent' });
  });

  it('ends the chat only once: a retry gets the position of the stored message', () => {
    const retry = givenChat(chatStarted, messageSent(ADA, '14f', 'c-1'), createEndedForAge(ADA, null)).when(
      sendMessage('14f', { clientId: 'c-1' }),
    );
    expect(retry.decide()).toEqual({ alreadyDone: MESSAGE_POSITION });
  });

  it('is refused after the end of the chat', () => {
    givenChat(chatStarted, chatEnded).when(sendMessage('14f')).thenThrows('session_ended');
  });
});

describe('a message that states an adult age, an age difference or the age of another person', () => {
  it.each(["i'm 24", 'my sister is 13', 'i am 13 years older'])('does not end the chat: %s', (content) => {
    givenChat(chatStarted).when(sendMessage(content)).then(messageSent(ADA, content));
  });
});
