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
/** @param refFingerprint hash of the frame's `ref`, which a retry of the frame repeats. Stored as `attempt`. */
const createReactionEvent = (
  userId: number,
  refFingerprint?: string,
  type: 'PrivateReactionAdded' | 'PrivateReactionRemoved' = 'PrivateReactionAdded',
): PrivateMessageEvent => ({
  ...eventHeader,
  type,
  data: {
    messageId,
    userId,
    emoji: '🔥',
    ...(refFingerprint === undefined ? {} : { attempt: refFingerprint }),
  },
});
const addMsToEventTime = (ms: number): Date => new Date(occurredAt.getTime() + ms);
const createDeletedEvent = (): PrivateMessageEvent => ({
  ...eventHeader,
  type: 'PrivateMessageDeleted',
  data: { messageId, senderId: ada },
});

const commandHeader = { messageId, eventId: 'new', at: occurredAt };
/** The fields that all commands that change a sent message have in common. */
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
const edit = (content: string, userId = ada, friendId?: number): PrivateMessageCommand => ({
  ...createChangeHeader(userId, friendId),
  type: 'EditPrivateMessage',
  content,
});
const react = (
  emoji: string,
  userId = bob,
  refFingerprint: string | null = null,
  at = occurredAt,
): PrivateMessageCommand => ({
  ...createChangeHeader(userId),
  type: 'ReactToPrivateMessage',
  emoji,
  refFingerprint,
  at,
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

  it('rejects empty and too long content', () => {
    given().when(send(' \n ')).thenThrows('invalid_payload');
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

  it('rejects the URL of an image elsewhere, and mixed content without an image or without a text', () => {
    given().when(send('https://elsewhere.example/x.png', 'image')).thenThrows('image_not_yours');
    given().when(send('look', 'mixed')).thenThrows('image_not_yours');
    given()
      .when(send(`\n[IMAGE:${imageUrl}]`, 'mixed'))
      .thenThrows('invalid_payload');
  });
});

describe('editing a private message', () => {
  it('is allowed to the sender, for texts only', () => {
    given(createSentEvent())
      .when(edit('hello there'))
      .then({ type: 'PrivateMessageEdited', data: { messageId, senderId: ada, content: 'hello there' } });
    given(createSentEvent()).when(edit('hello there', bob)).thenThrows('not_editable');
    given(createSentEvent('mixed', textWithImage)).when(edit('hello there')).thenThrows('not_editable');
    given(createSentEvent('image', imageUrl)).when(edit('hello there')).thenThrows('not_editable');
  });

  it('changes nothing when the content is the same, and is refused when it is empty', () => {
    given(createSentEvent()).when(edit(' hello ')).thenNothing();
    given(createSentEvent()).when(edit('  ')).thenThrows('invalid_payload');
  });

  it('is refused for a message that is missing, deleted or in another conversation', () => {
    given().when(edit('x')).thenThrows('message_not_found');
    given(createSentEvent(), createDeletedEvent()).when(edit('x')).thenThrows('message_not_found');
    given(createSentEvent())
      .when(edit('x', ada, eve))
      .thenThrows('message_not_found');
    given(createSentEvent())
      .when(edit('x', eve, ada))
      .thenThrows('message_not_found');
  });
});

describe('reacting to a private message', () => {
  it('is allowed to both users, and toggles', () => {
    given(createSentEvent())
      .when(react('🔥'))
      .then({ type: 'PrivateReactionAdded', data: { messageId, userId: bob, emoji: '🔥' } });
    given(createSentEvent(), createReactionEvent(bob))
      .when(react('🔥'))
      .then({ type: 'PrivateReactionRemoved', data: { userId: bob, emoji: '🔥' } });
    given(createSentEvent(), createReactionEvent(bob))
      .when(react('🔥', ada))
      .then({ type: 'PrivateReactionAdded', data: { userId: ada } });
  });

  it('records the fingerprint of a frame that can be retried', () => {
    given(createSentEvent())
      .when(react('🔥', bob, 'a'))
      .then({ type: 'PrivateReactionAdded', data: { messageId, userId: bob, emoji: '🔥', attempt: 'a' } });
  });

  it('is not undone by a retry of the same frame within a minute', () => {
    given(createSentEvent(), createReactionEvent(bob, 'a'))
      .when(react('🔥', bob, 'a', addMsToEventTime(59_000)))
      .thenNothing();
  });

  it('does not add a reaction again when the frame that removed it is retried', () => {
    given(
      createSentEvent(),
      createReactionEvent(bob),
      createReactionEvent(bob, 'b', 'PrivateReactionRemoved'),
    )
      .when(react('🔥', bob, 'b'))
      .thenNothing();
  });

  it('is undone by any other frame, and by a frame with the same fingerprint a minute later', () => {
    const removed = { type: 'PrivateReactionRemoved', data: { userId: bob, emoji: '🔥' } };
    given(createSentEvent(), createReactionEvent(bob, 'a'))
      .when(react('🔥', bob, 'b'))
      .then(removed);
    given(createSentEvent(), createReactionEvent(bob, 'a')).when(react('🔥', bob)).then(removed);
    given(createSentEvent(), createReactionEvent(bob))
      .when(react('🔥', bob, 'a'))
      .then(removed);
    given(createSentEvent(), createReactionEvent(bob, 'a'))
      .when(react('🔥', bob, 'a', addMsToEventTime(60_000)))
      .then(removed);
  });

  it('is not a retry if it is by the other user or has another emoji', () => {
    const added = { type: 'PrivateReactionAdded' };
    given(createSentEvent(), createReactionEvent(bob, 'a'))
      .when(react('🔥', ada, 'a'))
      .then(added);
    given(createSentEvent(), createReactionEvent(bob, 'a'))
      .when(react('👍', bob, 'a'))
      .then(added);
  });

  it('accepts an emoji without its variation selector, and refuses unknown emojis', () => {
    given(createSentEvent())
      .when(react('\u2764'))
      .then({ data: { emoji: '\u2764\ufe0f' } });
    given(createSentEvent()).when(react('🦆')).thenThrows('unknown_emoji');
  });

  it('is refused for a missing or deleted message', () => {
    given().when(react('🔥')).thenThrows('message_not_found');
    given(createSentEvent(), createDeletedEvent()).when(react('🔥')).thenThrows('message_not_found');
  });
});

describe('deleting a private message', () => {
  it('is allowed to the sender for every type, and changes nothing when repeated', () => {
    given(createSentEvent('image', imageUrl))
      .when(deleteMessage())
      .then({ type: 'PrivateMessageDeleted', data: { messageId, senderId: ada } });
    given(createSentEvent()).when(deleteMessage(bob)).thenThrows('not_editable');
    given(createSentEvent()).when(deleteMessage(eve)).thenThrows('message_not_found');
    given(createSentEvent(), createDeletedEvent()).when(deleteMessage()).thenNothing();
  });

  it('leaves no content and no reactions', () => {
    const state = [createSentEvent(), createReactionEvent(bob), createDeletedEvent()].reduce(
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
