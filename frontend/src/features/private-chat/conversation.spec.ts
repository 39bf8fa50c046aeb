import { type PrivateReaction } from '@thaw/contract/private-chat';
import {
  applyChange,
  findFirstUnreadId,
  keepClientIds,
  refersToMissedMessage,
  prependPage,
  toggleReaction,
  type Conversation,
} from '@/features/private-chat/conversation';
import { aPrivateMessage } from '@/testing/factories';

const userId = 7;
/** The default sender of `aPrivateMessage`. The default receiver is `userId`. */
const friendId = 12;

const createConversation = (ids: readonly number[], { hasOlder = false } = {}): Conversation => ({
  messages: ids.map((id) => aPrivateMessage({ id })),
  hasOlder,
});
/** Message 10 with this content, and message 12, which quotes it. */
const createQuotedConversation = (content: string, reactions: PrivateReaction[] = []): Conversation => {
  const replyTo = { id: 10, content, senderId: friendId, senderName: 'brave-heron-7' };
  return {
    messages: [
      aPrivateMessage({ id: 10, content, reactions }),
      aPrivateMessage({ id: 12, metadata: { replyTo } }),
    ],
    hasOlder: false,
  };
};
const listIds = ({ messages }: Conversation): number[] => messages.map(({ id }) => id);

describe('a sent message', () => {
  it('is inserted in ascending order of ids, whatever the order of arrival', () => {
    const after = [14, 11, 12].reduce(
      (before, id) => applyChange(before, { type: 'sent', message: aPrivateMessage({ id }) }),
      createConversation([10, 13]),
    );
    expect(listIds(after)).toEqual([10, 11, 12, 13, 14]);
  });

  it('appears once and has its clientId, whether the ack or the frame comes first, or the ack is repeated', () => {
    // The contract allows a frame to lack the clientId; then only the ack has it.
    const frame = { type: 'sent', message: aPrivateMessage({ id: 11 }) } as const;
    const ack = { type: 'sent', message: aPrivateMessage({ id: 11, clientId: 'c1' }) } as const;
    for (const order of [
      [frame, ack],
      [ack, frame],
      [ack, ack],
    ]) {
      const after = order.reduce(applyChange, createConversation([10]));
      expect(listIds(after)).toEqual([10, 11]);
      expect(after.messages[1]?.clientId).toBe('c1');
    }
  });

  it('leaves the conversation object as it is when the message is already there', () => {
    const before = createConversation([10, 11]);
    expect(applyChange(before, { type: 'sent', message: aPrivateMessage({ id: 10 }) })).toBe(before);
  });
});

describe('applyChange', () => {
  it('applies an edit to the message and to its quotes in other messages', () => {
    const before = createQuotedConversation('helo');
    const { messages } = applyChange(before, { type: 'edited', messageId: 10, newContent: 'hello' });
    expect(messages[0]).toMatchObject({ content: 'hello', isEdited: true });
    expect(messages[1]?.metadata.replyTo?.content).toBe('hello');
  });

  it('applies a deletion to the message and to its quotes', () => {
    const before = createQuotedConversation('secret', [{ emoji: '👍', userId }]);
    const { messages } = applyChange(before, { type: 'deleted', messageId: 10 });
    expect(messages[0]).toMatchObject({ content: '', isDeleted: true, reactions: [] });
    expect(messages[1]?.metadata.replyTo?.content).toBe('');
  });

  it('ignores changes of a deleted message, whose frames were in flight during the deletion', () => {
    const reactions = [{ emoji: '👍', userId }];
    const before = createQuotedConversation('secret', reactions);
    const deleted = applyChange(before, { type: 'deleted', messageId: 10 });
    expect(applyChange(deleted, { type: 'edited', messageId: 10, newContent: 'secret' })).toBe(deleted);
    expect(applyChange(deleted, { type: 'reacted', messageId: 10, reactions })).toBe(deleted);
  });

  it('replaces the reactions of the message when a user reacts', () => {
    const reactions = [{ emoji: '🔥', userId }];
    const { messages } = applyChange(createConversation([10, 11]), {
      type: 'reacted',
      messageId: 11,
      reactions,
    });
    expect(messages[0]?.reactions).toEqual([]);
    expect(messages[1]?.reactions).toEqual(reactions);
  });

  it('keeps the objects of other messages, so that their rows are not rendered again', () => {
    const before = createConversation([10, 11, 12]);
    const after = applyChange(before, { type: 'edited', messageId: 11, newContent: 'new' });
    expect(after.messages[0]).toBe(before.messages[0]);
    expect(after.messages[2]).toBe(before.messages[2]);
  });
});

// A missed message belongs to the loaded part of the conversation, but its frame did not arrive.
describe('refersToMissedMessage', () => {
  it.each([
    { target: 'a loaded message', messageId: 11, hasOlder: true, isMissed: false },
    { target: 'a message between two loaded ones', messageId: 12, hasOlder: true, isMissed: true },
    { target: 'a message of an older page, not yet loaded', messageId: 5, hasOlder: true, isMissed: false },
    {
      target: 'an older message although no older page exists',
      messageId: 5,
      hasOlder: false,
      isMissed: true,
    },
  ])('is $isMissed for a change of $target', ({ messageId, hasOlder, isMissed }) => {
    const loaded = createConversation([10, 11, 13], { hasOlder });
    expect(refersToMissedMessage(loaded, { type: 'deleted', messageId })).toBe(isMissed);
  });

  it('is false for a sent message, which refers to no other', () => {
    expect(
      refersToMissedMessage(createConversation([10]), { type: 'sent', message: aPrivateMessage({ id: 99 }) }),
    ).toBe(false);
  });
});

describe('loading messages', () => {
  it('prepends an older page without duplicates', () => {
    const older = createConversation([7, 8, 9, 10], { hasOlder: true });
    const after = prependPage(createConversation([10, 11], { hasOlder: true }), older);
    expect(listIds(after)).toEqual([7, 8, 9, 10, 11]);
    expect(after.hasOlder).toBe(true);
  });

  it('keeps the clientIds of loaded messages after a refetch', () => {
    const known = { messages: [aPrivateMessage({ id: 10, clientId: 'c1' })], hasOlder: false };
    const after = keepClientIds(createConversation([10, 11]), known);
    expect(after.messages.map(({ clientId }) => clientId)).toEqual(['c1', undefined]);
  });
});

describe('toggleReaction', () => {
  it("adds or removes the user's reaction with this emoji, and keeps all other reactions", () => {
    const [mine, theirs] = [
      { emoji: '👍', userId },
      { emoji: '👍', userId: friendId },
    ];
    expect(toggleReaction([theirs], '👍', userId)).toEqual([theirs, mine]);
    expect(toggleReaction([theirs, mine], '👍', userId)).toEqual([theirs]);
    expect(toggleReaction([mine], '🔥', userId)).toEqual([mine, { emoji: '🔥', userId }]);
  });
});

describe('the first unread message', () => {
  const messages = [
    aPrivateMessage({ id: 1, senderId: friendId }),
    aPrivateMessage({ id: 2, senderId: friendId }),
    aPrivateMessage({ id: 3, senderId: userId }),
    aPrivateMessage({ id: 4, senderId: friendId, isDeleted: true }),
    aPrivateMessage({ id: 5, senderId: friendId }),
  ];
  it.each([
    { unreadCount: 0, firstId: undefined, reason: 'nothing is unread' },
    { unreadCount: 1, firstId: 5, reason: "only the friend's last message is unread" },
    { unreadCount: 2, firstId: 2, reason: 'a deleted message and a message of the user do not count' },
    { unreadCount: 3, firstId: 1, reason: 'all messages of the friend are unread' },
    { unreadCount: 99, firstId: 1, reason: 'more messages are unread than are loaded' },
  ])('has the id $firstId for a count of $unreadCount: $reason', ({ unreadCount, firstId }) => {
    expect(findFirstUnreadId(messages, friendId, unreadCount)).toBe(firstId);
  });
});
