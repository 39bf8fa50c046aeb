import { RowCache } from '@/features/private-chat/rows';
import { aPrivateMessage } from '@/testing/factories';

const noPendingChanges = { edits: [], deletions: [] };

it('returns the same row object for an unchanged message', () => {
  const cache = new RowCache();
  const message = aPrivateMessage({ id: 4 });
  const [before] = cache.toRows([message], noPendingChanges);
  expect(cache.toRows([message, aPrivateMessage({ id: 5 })], noPendingChanges)[0]).toBe(before);
});

it('uses the clientId of a message as the key of its row', () => {
  const [row] = new RowCache().toRows(
    [aPrivateMessage({ id: 4, senderId: 7, clientId: 'c1' })],
    noPendingChanges,
  );
  expect([row?.key, row?.id]).toEqual(['c1', '4']);
});

it("shows the user's last unconfirmed edit, and no content of a message that is being deleted", () => {
  const messages = [aPrivateMessage({ id: 4 }), aPrivateMessage({ id: 5 })];
  const edit = { editId: 'e1', friendId: 12, messageId: 4, newContent: 'better' };
  const rows = new RowCache().toRows(messages, {
    edits: [edit, { ...edit, editId: 'e2', newContent: 'best' }],
    deletions: [{ friendId: 12, messageId: 5 }],
  });
  expect(rows[0]).toMatchObject({ content: 'best', isEdited: true });
  expect(rows[1]).toMatchObject({ content: '', isDeleted: true });
});

it('counts the reactions of a row by emoji', () => {
  const reactions = [
    { emoji: '👍', userId: 7 },
    { emoji: '🔥', userId: 7 },
    { emoji: '👍', userId: 12 },
  ];
  expect(new RowCache().toRows([aPrivateMessage({ reactions })], noPendingChanges)[0]?.reactions).toEqual({
    '👍': { count: 2, users: [7, 12] },
    '🔥': { count: 1, users: [7] },
  });
});

it('returns the quoted message of a reply, with its id as a string', () => {
  const replyTo = { id: 3, content: 'hm', senderId: 12, senderName: 'brave-heron-7' };
  const [row] = new RowCache().toRows([aPrivateMessage({ metadata: { replyTo } })], noPendingChanges);
  expect(row?.replyTo).toEqual({
    messageId: '3',
    content: 'hm',
    senderId: 12,
    senderName: 'brave-heron-7',
  });
});
