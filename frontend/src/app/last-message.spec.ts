import { getLastMessageAfter } from '@/app/last-message';
import { type Conversation } from '@/features/private-chat/conversation';
import { aPrivateMessage } from '@/testing/factories';

const first = aPrivateMessage({ id: 1, content: 'first' });
const second = aPrivateMessage({ id: 2, content: 'second' });
const conversation: Conversation = { messages: [first, second], hasOlder: false };

it('getLastMessageAfter returns the sent message, whether or not the conversation is loaded', () => {
  const lastMessage = { senderId: 12, preview: 'second', type: 'text', createdAt: second.createdAt };
  expect(getLastMessageAfter({ type: 'sent', message: second }, conversation)).toEqual(lastMessage);
  expect(getLastMessageAfter({ type: 'sent', message: second }, undefined)).toEqual(lastMessage);
});

it('getLastMessageAfter returns the newest message after its edit, and undefined after another edit', () => {
  const edited = { type: 'edited', messageId: 2, newContent: 'changed' } as const;
  const after: Conversation = { messages: [first, { ...second, content: 'changed' }], hasOlder: false };
  expect(getLastMessageAfter(edited, after)).toMatchObject({ preview: 'changed' });
  expect(getLastMessageAfter({ ...edited, messageId: 1 }, after)).toBeUndefined();
});

it('getLastMessageAfter returns an empty preview of a deleted message', () => {
  const after: Conversation = {
    messages: [first, { ...second, content: '', isDeleted: true }],
    hasOlder: false,
  };
  expect(getLastMessageAfter({ type: 'deleted', messageId: 2 }, after)).toMatchObject({ preview: '' });
});

it('getLastMessageAfter returns null after a change of a conversation that is not loaded', () => {
  expect(getLastMessageAfter({ type: 'deleted', messageId: 2 }, undefined)).toBeNull();
});

it('getLastMessageAfter returns undefined after a reaction, which does not change the last message', () => {
  expect(getLastMessageAfter({ type: 'reacted', messageId: 2, reactions: [] }, conversation)).toBeUndefined();
});
