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

const FIRE = '🔥';

const editMessage = (editorId: number, content: string): RandomChatCommand => ({
  type: 'EditMessage',
  decidedAtMs: COMMAND_TIME_MS,
  editorId,
  messageId: MESSAGE_ID,
  content,
});

/** @param changes replace the default fields */
const reactToMessage = (
  userId: number,
  action: 'add' | 'remove',
  changes: { emoji?: string; messageId?: string } = {},
): RandomChatCommand => ({
  type: 'ReactToMessage',
  decidedAtMs: COMMAND_TIME_MS,
  userId,
  messageId: MESSAGE_ID,
  emoji: FIRE,
  action,
  ...changes,
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
const reactionAdded = (userId: number): RandomChatEvent => ({
  type: 'ReactionAdded',
  data: { messageId: MESSAGE_ID, emoji: FIRE, userId },
});

describe('editing', () => {
  it('replaces the text of a message by the trimmed new text', () => {
    givenChat(chatStarted, messageSent(ADA))
      .when(editMessage(ADA, ' better '))
      .then({ type: 'MessageEdited', data: { messageId: MESSAGE_ID, editorId: ADA, content: 'better' } });
  });

  it('is refused to all users except the sender', () => {
    givenChat(chatStarted, messageSent(ADA)).when(editMessage(BOB, 'forged')).thenThrows('not_editable');
    givenChat(chatStarted, messageSent(ADA)).when(editMessage(EVE, 'forged')).thenThrows('not_in_session');
  });

  it('is refused for an image', () => {
    givenChat(chatStarted, imageSent).when(editMessage(ADA, 'words')).thenThrows('not_editable');
  });

  it('requires a visible text within the maximum length', () => {
    givenChat(chatStarted, messageSent(ADA)).when(editMessage(ADA, ' \n ')).thenThrows('invalid_payload');
    givenChat(chatStarted, messageSent(ADA))
      .when(editMessage(ADA, 'x'.repeat(limits.messageMaxCodePoints + 1)))
      .thenThrows('message_too_long');
  });

  it('requires a message of this chat', () => {
    givenChat(chatStarted).when(editMessage(ADA, 'what')).thenThrows('message_not_found');
  });

  it('requires an open chat', () => {
    givenChat(chatStarted, messageSent(ADA), chatEnded)
      .when(editMessage(ADA, 'late'))
      .thenThrows('session_ended');
  });

  it('is a no-op when it changes nothing', () => {
    // Contents are trimmed before they are compared.
    const edit = givenChat(chatStarted, messageSent(ADA, 'same')).when(editMessage(ADA, 'same '));
    expect(edit.decide()).toEqual(createNoOpAt(2));
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
  it('is allowed for both participants, also on their own messages', () => {
    for (const userId of [ADA, BOB]) {
      givenChat(chatStarted, messageSent(ADA))
        .when(reactToMessage(userId, 'add'))
        .then(reactionAdded(userId));
    }
  });

  it('is refused to other users', () => {
    givenChat(chatStarted, messageSent(ADA)).when(reactToMessage(EVE, 'add')).thenThrows('not_in_session');
  });

  it('is refused with an unknown emoji', () => {
    givenChat(chatStarted, messageSent(ADA))
      .when(reactToMessage(BOB, 'add', { emoji: '🍕' }))
      .thenThrows('unknown_emoji');
  });

  it('treats an emoji with and without its variation selector as the same', () => {
    givenChat(chatStarted, messageSent(ADA))
      .when(reactToMessage(BOB, 'add', { emoji: '\u2764' }))
      .then({ type: 'ReactionAdded', data: { messageId: MESSAGE_ID, emoji: '\u2764\uFE0F', userId: BOB } });
  });

  it('is a no-op when it adds an existing reaction or removes a missing one', () => {
    const addAgain = givenChat(chatStarted, messageSent(ADA), reactionAdded(BOB)).when(
      reactToMessage(BOB, 'add'),
    );
    expect(addAgain.decide()).toEqual(createNoOpAt(3));
    const removeMissing = givenChat(chatStarted, messageSent(ADA)).when(reactToMessage(BOB, 'remove'));
    expect(removeMissing.decide()).toEqual(createNoOpAt(2));
  });

  it('removes an existing reaction when its action is `remove`', () => {
    givenChat(chatStarted, messageSent(ADA), reactionAdded(BOB))
      .when(reactToMessage(BOB, 'remove'))
      .then({ type: 'ReactionRemoved', data: { messageId: MESSAGE_ID, emoji: FIRE, userId: BOB } });
  });

  it('is refused on an event that is not a message', () => {
    givenChat(chatStarted)
      .when(reactToMessage(ADA, 'add', { messageId: getEventPosition(1).id }))
      .thenThrows('message_not_found');
  });

  it('requires the exact message id', () => {
    const idOneMsLater = `${getEventTime(2) + 1}-0`;
    givenChat(chatStarted, messageSent(ADA))
      .when(reactToMessage(BOB, 'add', { messageId: idOneMsLater }))
      .thenThrows('message_not_found');
  });
});
