import {
  ADA,
  at,
  BOB,
  chatEnded,
  chatStarted,
  EVE,
  givenChat,
  messageSent,
  getEventTime,
} from '../../../testing/given-chat.fixture';
import type { RandomChatCommand } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

const MESSAGE_ID = at(2).id;

const edit = (editorId: number, content: string, messageId = MESSAGE_ID): RandomChatCommand => ({
  type: 'EditMessage',
  at: getEventTime(1_000),
  editorId,
  messageId,
  content,
});

const react = (
  userId: number,
  emoji: string,
  action: 'add' | 'remove',
  messageId = MESSAGE_ID,
): RandomChatCommand => ({
  type: 'ReactToMessage',
  at: getEventTime(1_000),
  userId,
  messageId,
  emoji,
  action,
});

const image: RandomChatEvent = {
  type: 'MessageSent',
  data: {
    senderId: ADA,
    content: '/api/files/chat-images/x',
    messageType: 'image',
    replyTo: null,
    clientId: null,
  },
};
const createReactionAdded = (userId: number): RandomChatEvent => ({
  type: 'ReactionAdded',
  data: { messageId: MESSAGE_ID, emoji: '🔥', userId },
});

describe('editing', () => {
  it('is allowed only for the sender of a text message', () => {
    givenChat(chatStarted, messageSent(ADA))
      .when(edit(ADA, ' better '))
      .then({ type: 'MessageEdited', data: { messageId: MESSAGE_ID, editorId: ADA, content: 'better' } });
    givenChat(chatStarted, messageSent(ADA)).when(edit(BOB, 'forged')).thenThrows('not_editable');
    givenChat(chatStarted, messageSent(ADA)).when(edit(EVE, 'forged')).thenThrows('not_in_session');
    givenChat(chatStarted, image).when(edit(ADA, 'words')).thenThrows('not_editable');
  });

  it('requires text within the maximum length', () => {
    givenChat(chatStarted, messageSent(ADA)).when(edit(ADA, ' \n ')).thenThrows('invalid_payload');
    givenChat(chatStarted, messageSent(ADA))
      .when(edit(ADA, 'x'.repeat(2_001)))
      .thenThrows('message_too_long');
  });

  it('requires a message of this chat, and an open chat', () => {
    givenChat(chatStarted).when(edit(ADA, 'what')).thenThrows('message_not_found');
    givenChat(chatStarted, messageSent(ADA), chatEnded).when(edit(ADA, 'late')).thenThrows('session_ended');
  });

  it('is a no-op when it changes nothing', () => {
    expect(givenChat(chatStarted, messageSent(ADA, 'same')).when(edit(ADA, 'same ')).decide()).toEqual({
      alreadyDone: { id: '', seq: 2 },
    });
  });

  it('changes the text that replies quote', () => {
    givenChat(chatStarted, messageSent(ADA, 'old'), {
      type: 'MessageEdited',
      data: { messageId: MESSAGE_ID, editorId: ADA, content: 'new' },
    })
      .when({
        type: 'SendMessage',
        at: getEventTime(1_000),
        senderId: BOB,
        content: 'yes',
        messageType: 'text',
        replyToId: MESSAGE_ID,
        clientId: null,
      })
      .then({
        data: { replyTo: { messageId: MESSAGE_ID, content: 'new', senderId: ADA, senderName: 'ada' } },
      });
  });
});

describe('reacting', () => {
  it('is allowed for both users, also on own messages, with one of the ten emojis', () => {
    for (const userId of [ADA, BOB]) {
      givenChat(chatStarted, messageSent(ADA))
        .when(react(userId, '🔥', 'add'))
        .then(createReactionAdded(userId));
    }
    givenChat(chatStarted, messageSent(ADA))
      .when(react(BOB, '🍕', 'add'))
      .thenThrows('unknown_emoji');
    givenChat(chatStarted, messageSent(ADA))
      .when(react(EVE, '🔥', 'add'))
      .thenThrows('not_in_session');
  });

  it('treats an emoji with and without its variation selector as the same', () => {
    givenChat(chatStarted, messageSent(ADA))
      .when(react(BOB, '❤', 'add'))
      .then({ type: 'ReactionAdded', data: { messageId: MESSAGE_ID, emoji: '❤️', userId: BOB } });
  });

  it('adds and removes a reaction once', () => {
    expect(
      givenChat(chatStarted, messageSent(ADA), createReactionAdded(BOB))
        .when(react(BOB, '🔥', 'add'))
        .decide(),
    ).toEqual({
      alreadyDone: { id: '', seq: 3 },
    });
    expect(
      givenChat(chatStarted, messageSent(ADA))
        .when(react(BOB, '🔥', 'remove'))
        .decide(),
    ).toEqual({
      alreadyDone: { id: '', seq: 2 },
    });
    givenChat(chatStarted, messageSent(ADA), createReactionAdded(BOB))
      .when(react(BOB, '🔥', 'remove'))
      .then({ type: 'ReactionRemoved', data: { messageId: MESSAGE_ID, emoji: '🔥', userId: BOB } });
  });

  it('is refused on an event that is not a message', () => {
    givenChat(chatStarted)
      .when(react(ADA, '🔥', 'add', at(1).id))
      .thenThrows('message_not_found');
  });

  it('requires the exact message id', () => {
    const idOneMsLater = `${getEventTime(2) + 1}-0`;
    givenChat(chatStarted, messageSent(ADA))
      .when(react(BOB, '🔥', 'add', idOneMsLater))
      .thenThrows('message_not_found');
  });
});
