import { limits } from '@thaw/contract/limits';
import {
  ADA,
  BOB,
  chatEnded,
  chatStarted,
  EVE,
  givenChat,
  messageSent,
  getEventPosition,
  getEventTime,
} from '../../../testing/given-chat.fixture';
import type { RandomChatCommand } from './random-chat.commands';
import type { RandomChatEvent } from './random-chat.events';

/** The message of every test: the second event, after the start of the chat. */
const MESSAGE_ID = getEventPosition(2).id;
/** Later than every event of these tests. */
const COMMAND_TIME_MS = getEventTime(1_000);

/** The decision on a command that changes nothing: an empty id, because no event results, and the chat's version. */
const createNoOpAt = (version: number) => ({ alreadyDone: { id: '', seq: version } });

const editMessage = (editorId: number, content: string, messageId = MESSAGE_ID): RandomChatCommand => ({
  type: 'EditMessage',
  decidedAtMs: COMMAND_TIME_MS,
  editorId,
  messageId,
  content,
});

const reactToMessage = (
  userId: number,
  emoji: string,
  action: 'add' | 'remove',
  messageId = MESSAGE_ID,
): RandomChatCommand => ({
  type: 'ReactToMessage',
  decidedAtMs: COMMAND_TIME_MS,
  userId,
  messageId,
  emoji,
  action,
});

const imageSent: RandomChatEvent = {
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
  it('is allowed only for the sender, and only of a text message', () => {
    givenChat(chatStarted, messageSent(ADA))
      .when(editMessage(ADA, ' better '))
      .then({ type: 'MessageEdited', data: { messageId: MESSAGE_ID, editorId: ADA, content: 'better' } });
    givenChat(chatStarted, messageSent(ADA)).when(editMessage(BOB, 'forged')).thenThrows('not_editable');
    givenChat(chatStarted, messageSent(ADA)).when(editMessage(EVE, 'forged')).thenThrows('not_in_session');
    givenChat(chatStarted, imageSent).when(editMessage(ADA, 'words')).thenThrows('not_editable');
  });

  it('requires a visible text within the maximum length', () => {
    givenChat(chatStarted, messageSent(ADA)).when(editMessage(ADA, ' \n ')).thenThrows('invalid_payload');
    givenChat(chatStarted, messageSent(ADA))
      .when(editMessage(ADA, 'x'.repeat(limits.messageMaxCodePoints + 1)))
      .thenThrows('message_too_long');
  });

  it('requires a message of this chat, and an open chat', () => {
    givenChat(chatStarted).when(editMessage(ADA, 'what')).thenThrows('message_not_found');
    givenChat(chatStarted, messageSent(ADA), chatEnded)
      .when(editMessage(ADA, 'late'))
      .thenThrows('session_ended');
  });

  it('is a no-op when it changes nothing', () => {
    // Contents are trimmed before they are compared.
    expect(givenChat(chatStarted, messageSent(ADA, 'same')).when(editMessage(ADA, 'same ')).decide()).toEqual(
      createNoOpAt(2),
    );
  });

  it('changes the text that later replies quote', () => {
    givenChat(chatStarted, messageSent(ADA, 'old'), {
      type: 'MessageEdited',
      data: { messageId: MESSAGE_ID, editorId: ADA, content: 'new' },
    })
      .when({
        type: 'SendMessage',
        decidedAtMs: COMMAND_TIME_MS,
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
  it('is allowed only for participants, also on their own messages, and only with a known emoji', () => {
    for (const userId of [ADA, BOB]) {
      givenChat(chatStarted, messageSent(ADA))
        .when(reactToMessage(userId, '🔥', 'add'))
        .then(createReactionAdded(userId));
    }
    givenChat(chatStarted, messageSent(ADA))
      .when(reactToMessage(BOB, '🍕', 'add'))
      .thenThrows('unknown_emoji');
    givenChat(chatStarted, messageSent(ADA))
      .when(reactToMessage(EVE, '🔥', 'add'))
      .thenThrows('not_in_session');
  });

  it('treats an emoji with and without its variation selector as the same', () => {
    givenChat(chatStarted, messageSent(ADA))
      .when(reactToMessage(BOB, '\u2764', 'add'))
      .then({ type: 'ReactionAdded', data: { messageId: MESSAGE_ID, emoji: '\u2764\uFE0F', userId: BOB } });
  });

  it('is a no-op when it adds an existing reaction or removes a missing one', () => {
    expect(
      givenChat(chatStarted, messageSent(ADA), createReactionAdded(BOB))
        .when(reactToMessage(BOB, '🔥', 'add'))
        .decide(),
    ).toEqual(createNoOpAt(3));
    expect(
      givenChat(chatStarted, messageSent(ADA))
        .when(reactToMessage(BOB, '🔥', 'remove'))
        .decide(),
    ).toEqual(createNoOpAt(2));
  });

  it('removes an existing reaction when its action is `remove`', () => {
    givenChat(chatStarted, messageSent(ADA), createReactionAdded(BOB))
      .when(reactToMessage(BOB, '🔥', 'remove'))
      .then({ type: 'ReactionRemoved', data: { messageId: MESSAGE_ID, emoji: '🔥', userId: BOB } });
  });

  it('is refused on an event that is not a message', () => {
    givenChat(chatStarted)
      .when(reactToMessage(ADA, '🔥', 'add', getEventPosition(1).id))
      .thenThrows('message_not_found');
  });

  it('requires the exact message id', () => {
    const idOneMsLater = `${getEventTime(2) + 1}-0`;
    givenChat(chatStarted, messageSent(ADA))
      .when(reactToMessage(BOB, '🔥', 'add', idOneMsLater))
      .thenThrows('message_not_found');
  });
});
