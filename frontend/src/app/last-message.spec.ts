import { getLastMessageAfter } from '@/app/last-message';
import { type Conversation } from '@/features/private-chat/conversation';
import { aPrivateMessage } from '@/testing/factories';

const first = aPrivateMessage({ id: 1, content: 'first' });
const second = aPrivateMessage({ id: 2, content: 'second' });
/** The sender of each `aPrivateMessage()`. */
const friendId = 12;
const conversation: Conversation = { messages: [first, second], hasOlder: false };

it('getLastMessageAfter returns the sent message, whether or not the conversation is loaded', () => {
  const lastMessage = { senderId: friendId, preview: 'second', type: 'text', createdAt: second.createdAt };
  expect(getLastMessageAfter({ type: 'sent', message: second }, conversation)).toEqual(lastMessage);
  expect(getLastMessageAfter({ type: 'sent', message: second }, undefined)).toEqual(lastMessage);
});

it('getLastMessageAfter returns the newest message after its edit, and undefined after the edit of an older one', () => {
  const edited = { type: 'edited', messageId: 2, newContent: 'changed' } as const;
  const editedConversation: Conversation = {
    messages: [first, { ...second, content: 'changed' }],
    hasOlder: false,
  };
  expect(getLastMessageAfter(edited, editedConversation)).toMatchObject({ preview: 'changed' });
  expect(getLastMessageAfter({ ...edited, messageId: 1 }, editedConversation)).toBeUndefined();
});

it('getLastMessageAfter returns an empty preview after the newest message was deleted', () => {
  const conversationAfterDeletion: Conversation = {
    messages: [first, { ...second, content: '', isDeleted: true }],
    hasOlder: false,
  };
  expect(getLastMessageAfter({ type: 'deleted', messageId: 2 }, conversationAfterDeletion)).toMatchObject({
    preview: '',
  });
});

it('getLastMessageAfter returns null, for unknown, after a deletion in a conversation that is not loaded', () => {
  expect(getLastMessageAfter({ type: 'deleted', messageId: 2 }, undefined)).toBeNull();
});

it('getLastMessageAfter returns undefined after a reaction, which does not change the last message', () => {
  expect(getLastMessageAfter({ type: 'reacted', messageId: 2, reactions: [] }, conversation)).toBeUndefined();
});
