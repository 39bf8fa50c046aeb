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
/** The position of a message that is sent directly after `ChatStarted`. */
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
/** @param messageId the edited message; null for a new message, which has no id before the decision */
const chatEndedForAge = (userId: number, messageId: string | null): RandomChatEvent => ({
  type: 'ChatEnded',
  data: { reason: 'removed', endedBy: null, finding: { kind: 'stated_age', userId, messageId } },
});

describe('a message in which its sender states that they are under 18', () => {
  it('is stored and ends the chat, in one decision', () => {
    givenChat(chatStarted)
      .when(sendMessage("hi, i'm 14"))
      .then(messageSent(ADA, "hi, i'm 14"), chatEndedForAge(ADA, null));
  });

  it('ends the chat when it is the text of an edit', () => {
    givenChat(chatStarted, messageSent(BOB, "i'm 41"))
      .when(editMessage("i'm 14"))
      .then(
        { type: 'MessageEdited', data: { messageId: MESSAGE_ID, editorId: BOB, content: "i'm 14" } },
        chatEndedForAge(BOB, MESSAGE_ID),
      );
  });

  it('ends the chat when it is the text above an image', () => {
    // `14f`, here and below, means: 14 years old, female.
    givenChat(chatStarted)
      .when(sendMessage(`14f\n[IMAGE:${IMAGE_URL}]`, { messageType: 'mixed' }))
      .then({ type: 'MessageSent' }, chatEndedForAge(ADA, null));
  });

  it('ends the chat only once: a retry gets the position of the stored message', () => {
    const pastEvents = [chatStarted, messageSent(ADA, '14f', 'c-1'), chatEndedForAge(ADA, null)];
    const retry = sendMessage('14f', { clientId: 'c-1' });
    const decision = givenChat(...pastEvents)
      .when(retry)
      .decide();
    expect(decision).toEqual({ alreadyDone: MESSAGE_POSITION });
  });

  it('is refused after the end of the chat', () => {
    givenChat(chatStarted, chatEnded).when(sendMessage('14f')).thenThrows('session_ended');
  });
});

// `then` expects exactly these events (which may leave out properties), so a `ChatEnded` would fail the test.
describe('a message that does not state that its sender is under 18', () => {
  it.each([
    ['an adult age', "i'm 24"],
    ['the age of another person', 'my sister is 13'],
    ['an age difference', 'i am 13 years older'],
  ])('does not end the chat: %s', (_case, content) => {
    givenChat(chatStarted).when(sendMessage(content)).then(messageSent(ADA, content));
  });

  it('does not end the chat when it is an image whose address contains digits', () => {
    givenChat(chatStarted)
      .when(sendMessage(IMAGE_URL, { messageType: 'image' }))
      .then({ type: 'MessageSent' });
  });
});
