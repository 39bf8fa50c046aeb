import { lastMessageAfter } from '@/app/last-message';
import { type Conversation } from '@/features/private-chat/conversation';
import { aPrivateMessage } from '@/testing/factories';

const first = aPrivateMessage({ id: 1, content: 'first' });
const second = aPrivateMessage({ id: 2, content: 'second' });
const conversation: Conversation = { messages: [first, second], hasOlder: false };

it('is the message that was sent, whether the conversation is loaded or not', () => {
  const shown = { senderId: 12, preview: 'second', type: 'text', createdAt: second.createdAt };
  expect(lastMessageAfter({ type: 'sent', message: second }, conversation)).toEqual(shown);
  expect(lastMessageAfter({ type: 'sent', message: second }, undefined)).toEqual(shown);
});

it('follows an edit of the newest message, and ignores one of an older message', () => {
  const edited = { type: 'edited', messageId: 2, newContent: 'changed' } as const;
  const after: Conversation = { messages: [first, { ...second, content: 'changed' }], hasOlder: false };
  expect(lastMessageAfter(edited, after)).toMatchObject({ preview: 'changed' });
  expect(lastMessageAfter({ ...edited, messageId: 1 }, after)).toBeUndefined();
});

it('says nothing of a deleted message', () => {
  const after: Conversation = {
    messages: [first, { ...second, content: '', isDeleted: true }],
    hasOlder: false,
  };
  expect(lastMessageAfter({ type: 'deleted', messageId: 2 }, after)).toMatchObject({ preview: '' });
});

it('is left to the server when a conversation that is not loaded was changed', () => {
  expect(lastMessageAfter({ type: 'deleted', messageId: 2 }, undefined)).toBeNull();
});

it('stays as it is when a message gets a reaction', () => {
  expect(lastMessageAfter({ type: 'reacted', messageId: 2, reactions: [] }, conversation)).toBeUndefined();
});
