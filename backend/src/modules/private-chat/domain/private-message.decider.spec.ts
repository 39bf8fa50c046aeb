import { limits } from '@thaw/contract/limits';
import type { MessageType } from '@thaw/contract/scalars';
import { createGiven } from '../../../testing/given.fixture';
import type { PrivateMessageCommand } from './private-message.commands';
import { privateMessageDecider } from './private-message.decider';
import { type PrivateMessageEvent, buildPrivateMessageStreamId } from './private-message.events';

const ada = 3;
const bob = 7;
const eve = 9;
const messageId = 42;
const occurredAt = new Date(Date.UTC(2026, 10, 20));
const imageUrl = '/api/files/chat-images/private-chat/01234567-89ab-cdef-0123-456789abcdef.webp';
const textWithImage = `look\n[IMAGE:${imageUrl}]`;
const quotedId = 41;

const given = createGiven(privateMessageDecider);

const eventHeader = { eventId: 'event', occurredAt };
const createSentEvent = (messageType: MessageType = 'text', content = 'hello'): PrivateMessageEvent => ({
  ...eventHeader,
  type: 'PrivateMessageSent',
  data: { messageId, senderId: ada, receiverId: bob, messageType, content, replyToId: null, clientId: null },
});
/** A reaction by Bob. A retry of a frame repeats the fingerprint (a hash of the frame's `ref`), stored as `attempt`. */
const createReactionEvent = (
  type: 'PrivateReactionAdded' | 'PrivateReactionRemoved',
  refFingerprint?: string,
): PrivateMessageEvent => ({
  ...eventHeader,
  type,
  data: {
    messageId,
    userId: bob,
    emoji: '🔥',
    ...(refFingerprint === undefined ? {} : { attempt: refFingerprint }),
  },
});
const createAddedEvent = (refFingerprint?: string): PrivateMessageEvent =>
  createReactionEvent('PrivateReactionAdded', refFingerprint);
const createRemovedEvent = (refFingerprint?: string): PrivateMessageEvent =>
  createReactionEvent('PrivateReactionRemoved', refFingerprint);
const createDeletedEvent = (): PrivateMessageEvent => ({
  ...eventHeader,
  type: 'PrivateMessageDeleted',
  data: { messageId, senderId: ada },
});

const commandHeader = { messageId, eventId: 'new', at: occurredAt };
/** The common fields of commands that change a sent message. By default, both users are those of the conversation. */
const createChangeHeader = (userId: number, friendId = userId === ada ? bob : ada) => ({
  ...commandHeader,
  userId,
  friendId,
});
const send = (content: string, messageType: MessageType = 'text'): PrivateMessageCommand => ({
  ...commandHeader,
  type: 'SendPrivateMessage',
  senderId: ada,
  receiverId: bob,
  messageType,
  content,
  replyToId: quotedId,
  clientId: 'c-1',
});
const edit = (
  content: string,
  { userId = ada, friendId }: { userId?: number; friendId?: number } = {},
): PrivateMessageCommand => ({
  ...createChangeHeader(userId, friendId),
  type: 'EditPrivateMessage',
  content,
});
interface ReactOptions {
  userId?: number;
  refFingerprint?: string | null;
  /** Time from the past events to the command. */
  delayMs?: number;
}
const react = (
  emoji: string,
  { userId = bob, refFingerprint = null, delayMs = 0 }: ReactOptions = {},
): PrivateMessageCommand => ({
  ...createChangeHeader(userId),
  type: 'ReactToPrivateMessage',
  emoji,
  refFingerprint,
  at: new Date(occurredAt.getTime() + delayMs),
});
const deleteMessage = (userId = ada): PrivateMessageCommand => ({
  ...createChangeHeader(userId),
  type: 'DeletePrivateMessage',
});

describe('sending a private message', () => {
  it('stores the content trimmed and without control characters', () => {
    given()
      .when(send('  hello\u0000 '))
      .then({
        type: 'PrivateMessageSent',
        data: {
          messageId,
          senderId: ada,
          receiverId: bob,
          content: 'hello',
          replyToId: quotedId,
          clientId: 'c-1',
        },
      });
  });

  it('rejects empty content', () => {
    given().when(send(' \n ')).thenThrows('invalid_payload');
  });

  it('rejects content that is too long', () => {
    given()
      .when(send('é'.repeat(limits.messageMaxCodePoints + 1)))
      .thenThrows('message_too_long');
  });

  it('accepts the URL of an uploaded image, alone or with a text', () => {
    given()
      .when(send(imageUrl, 'image'))
      .then({ data: { content: imageUrl } });
    given()
      .when(send(textWithImage, 'mixed'))
      .then({ data: { content: textWithImage } });
  });

  it('rejects the URL of an image elsewhere', () => {
    given().when(send('https://elsewhere.example/x.png', 'image')).thenThrows('image_not_yours');
  });

  it('rejects mixed content without an image or without a text', () => {
    given().when(send('look', 'mixed')).thenThrows('image_not_yours');
    given()
      .when(send(`\n[IMAGE:${imageUrl}]`, 'mixed'))
      .thenThrows('invalid_payload');
  });
});

describe('editing a private message', () => {
  it('is allowed to the sender', () => {
    given(createSentEvent())
      .when(edit('hello there'))
      .then({ type: 'PrivateMessageEdited', data: { messageId, senderId: ada, content: 'hello there' } });
  });

  it('is refused to the receiver', () => {
    given(createSentEvent())
      .when(edit('hello there', { userId: bob }))
      .thenThrows('not_editable');
  });

  it('is refused for a message with an image', () => {
    given(createSentEvent('mixed', textWithImage)).when(edit('hello there')).thenThrows('not_editable');
    given(createSentEvent('image', imageUrl)).when(edit('hello there')).thenThrows('not_editable');
  });

  it('changes nothing when the content is the same', () => {
    given(createSentEvent()).when(edit(' hello ')).thenNothing();
  });

  it('is refused when the content is empty', () => {
    given(createSentEvent()).when(edit('  ')).thenThrows('invalid_payload');
  });

  it('is refused for a message that is missing, deleted or in another conversation', () => {
    given().when(edit('x')).thenThrows('message_not_found');
    given(createSentEvent(), createDeletedEvent()).when(edit('x')).thenThrows('message_not_found');
    given(createSentEvent())
      .when(edit('x', { userId: ada, friendId: eve }))
      .thenThrows('message_not_found');
    given(createSentEvent())
      .when(edit('x', { userId: eve, friendId: ada }))
      .thenThrows('message_not_found');
  });
});

describe('reacting to a private message', () => {
  it('adds the reaction', () => {
    given(createSentEvent())
      .when(react('🔥'))
      .then({ type: 'PrivateReactionAdded', data: { messageId, userId: bob, emoji: '🔥' } });
  });

  it('removes the reaction when the user repeats it', () => {
    given(createSentEvent(), createAddedEvent())
      .when(react('🔥'))
      .then({ type: 'PrivateReactionRemoved', data: { userId: bob, emoji: '🔥' } });
  });

  it('is allowed to the sender too, and does not remove the same reaction of the other user', () => {
    given(createSentEvent(), createAddedEvent())
      .when(react('🔥', { userId: ada }))
      .then({ type: 'PrivateReactionAdded', data: { userId: ada } });
  });

  it('records the fingerprint of a frame that can be retried', () => {
    given(createSentEvent())
      .when(react('🔥', { refFingerprint: 'a' }))
      .then({ type: 'PrivateReactionAdded', data: { messageId, userId: bob, emoji: '🔥', attempt: 'a' } });
  });

  it('is not undone by a retry of the same frame within a minute', () => {
    given(createSentEvent(), createAddedEvent('a'))
      .when(react('🔥', { refFingerprint: 'a', delayMs: 59_000 }))
      .thenNothing();
  });

  it('does not add a reaction again when the frame that removed it is retried', () => {
    given(createSentEvent(), createAddedEvent(), createRemovedEvent('b'))
      .when(react('🔥', { refFingerprint: 'b' }))
      .thenNothing();
  });

  it('is undone by a frame with another fingerprint', () => {
    given(createSentEvent(), createAddedEvent('a'))
      .when(react('🔥', { refFingerprint: 'b' }))
      .then({ type: 'PrivateReactionRemoved', data: { userId: bob, emoji: '🔥' } });
  });

  it('is undone by a frame without a fingerprint', () => {
    given(createSentEvent(), createAddedEvent('a'))
      .when(react('🔥'))
      .then({ type: 'PrivateReactionRemoved', data: { userId: bob, emoji: '🔥' } });
  });

  it('is undone by a frame with a fingerprint if the first frame had none', () => {
    given(createSentEvent(), createAddedEvent())
      .when(react('🔥', { refFingerprint: 'a' }))
      .then({ type: 'PrivateReactionRemoved', data: { userId: bob, emoji: '🔥' } });
  });

  it('is undone by a frame with the same fingerprint a minute later', () => {
    given(createSentEvent(), createAddedEvent('a'))
      .when(react('🔥', { refFingerprint: 'a', delayMs: 60_000 }))
      .then({ type: 'PrivateReactionRemoved', data: { userId: bob, emoji: '🔥' } });
  });

  it('is not a retry if it is by the other user or has another emoji', () => {
    given(createSentEvent(), createAddedEvent('a'))
      .when(react('🔥', { userId: ada, refFingerprint: 'a' }))
      .then({ type: 'PrivateReactionAdded' });
    given(createSentEvent(), createAddedEvent('a'))
      .when(react('👍', { refFingerprint: 'a' }))
      .then({ type: 'PrivateReactionAdded' });
  });

  it('accepts an emoji without its variation selector', () => {
    const heart = '\u2764';
    const variationSelector = '\ufe0f';
    given(createSentEvent())
      .when(react(heart))
      .then({ data: { emoji: `${heart}${variationSelector}` } });
  });

  it('is refused for an unknown emoji', () => {
    given(createSentEvent()).when(react('🦆')).thenThrows('unknown_emoji');
  });

  it('is refused for a missing or deleted message', () => {
    given().when(react('🔥')).thenThrows('message_not_found');
    given(createSentEvent(), createDeletedEvent()).when(react('🔥')).thenThrows('message_not_found');
  });
});

describe('deleting a private message', () => {
  it('is allowed to the sender, also for an image', () => {
    given(createSentEvent('image', imageUrl))
      .when(deleteMessage())
      .then({ type: 'PrivateMessageDeleted', data: { messageId, senderId: ada } });
  });

  it('is refused to the receiver, and to a user of another conversation', () => {
    given(createSentEvent()).when(deleteMessage(bob)).thenThrows('not_editable');
    given(createSentEvent()).when(deleteMessage(eve)).thenThrows('message_not_found');
  });

  it('changes nothing when repeated', () => {
    given(createSentEvent(), createDeletedEvent()).when(deleteMessage()).thenNothing();
  });

  it('leaves no content and no reactions', () => {
    const state = [createSentEvent(), createAddedEvent(), createDeletedEvent()].reduce(
      (before, event) => privateMessageDecider.evolve(before, event),
      privateMessageDecider.initialState(),
    );
    expect(state).toMatchObject({ content: '', isDeleted: true, reactions: [] });
  });
});

it('reads erased content as empty', () => {
  const { content: _, ...erased } = { ...createSentEvent().data } as Record<string, unknown>;
  const event = { ...createSentEvent(), data: erased } as PrivateMessageEvent;
  expect(privateMessageDecider.evolve(null, event)).toMatchObject({ content: '' });
});

it('the stream of a message is named by the id of the message', () => {
  expect(buildPrivateMessageStreamId(42)).toBe('private-42');
});
