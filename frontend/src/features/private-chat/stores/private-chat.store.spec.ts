import { limits } from '@thaw/contract/limits';
import { QueryObserver } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { emptyDraft } from '@/chat-ui/composer/draft';
import { unreadCountsKey } from '@/features/private-chat/api/private-messages';
import { type UnreadCounts } from '@/features/private-chat/unread';
import { pageLimits } from '@/lib/page-limits';
import { signIn, signOut } from '@/product/identity';
import { aPrivateMessage, aUser } from '@/testing/factories';
import { openPrivateChatPage, friend, me, storedAt } from '@/testing/private-chat-page';

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  localStorage.clear();
  sessionStorage.clear();
  signIn(aUser({ id: me }));
});
afterEach(() => {
  jest.restoreAllMocks();
  signOut();
});

const createIncoming = (id: number) => aPrivateMessage({ id, senderId: friend, receiverId: me });

describe('a page that receives frames from a friend', () => {
  it("inserts a message by id, before the user's message with a later id", () => {
    const { commands, receive, listMessages, submitMessage } = openPrivateChatPage();
    submitMessage('mine');
    commands[0]?.ack({ id: 3, createdAt: storedAt });
    receive('private_message', createIncoming(2));
    // The page already had message 1.
    expect(listMessages().map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('counts a message as unread until any page of the user has read it', () => {
    const { receive, getUnreadCounts } = openPrivateChatPage();
    receive('private_message', createIncoming(2));
    receive('private_message', createIncoming(3));
    expect(getUnreadCounts()).toEqual({ [friend]: 2 });
    receive('private_messages_read', { friendId: friend });
    expect(getUnreadCounts()).toEqual({});
  });

  it('requests the unread counts again if a message arrives before the response', async () => {
    const { receive, queryClient, getUnreadCounts } = openPrivateChatPage();
    // No counts are cached then, so the observer below requests them.
    queryClient.removeQueries({ queryKey: unreadCountsKey(me) });
    const responses: ((counts: UnreadCounts) => void)[] = [];
    const queryFn = () => new Promise<UnreadCounts>((resolve) => responses.push(resolve));
    const observer = new QueryObserver(queryClient, { queryKey: unreadCountsKey(me), queryFn });
    const unsubscribe = observer.subscribe(() => undefined);
    receive('private_message', createIncoming(2));
    responses[0]?.({});
    await waitFor(() => expect(responses).toHaveLength(2));
    responses[1]?.({ [friend]: 1 });
    await waitFor(() => expect(getUnreadCounts()).toEqual({ [friend]: 1 }));
    unsubscribe();
  });

  it('ends the typing indicator on a message, otherwise after six seconds', () => {
    const { receive, getTyping, clock } = openPrivateChatPage();
    receive('typing', { senderId: friend, userId: friend });
    expect(getTyping()).toEqual([friend]);
    receive('private_message', createIncoming(2));
    expect(getTyping()).toEqual([]);
    receive('typing', { senderId: friend, userId: friend });
    clock.advance(pageLimits.typingShownMs - 1);
    expect(getTyping()).toEqual([friend]);
    clock.advance(1);
    expect(getTyping()).toEqual([]);
  });

  it('ignores typing frames of the random chat', () => {
    const { receive, getTyping } = openPrivateChatPage();
    receive('typing', { sessionId: 's1', userId: friend });
    expect(getTyping()).toEqual([]);
  });
});

describe('typing', () => {
  it('notifies each friend at most every two seconds', () => {
    const { chat, sent, clock } = openPrivateChatPage();
    const otherFriend = 13;
    chat.notifyTyping(friend);
    chat.notifyTyping(friend);
    chat.notifyTyping(otherFriend);
    clock.advance(limits.typingIntervalMs);
    chat.notifyTyping(friend);
    expect(sent.map(({ data }) => data)).toEqual([
      { receiverId: friend },
      { receiverId: otherFriend },
      { receiverId: friend },
    ]);
  });
});

describe('the end of a friendship', () => {
  it.each([
    ['by the friend', { removedFriendId: me, removedBy: friend }],
    ['by the user', { removedFriendId: friend, removedBy: me }],
  ])("%s removes all data of the friend's chat", (_who, data) => {
    const { chat, receive, listOutgoing, getUnreadCounts, submitMessage } = openPrivateChatPage();
    receive('private_message', createIncoming(2));
    submitMessage('hello');
    chat.drafts.set(friend, { ...emptyDraft, text: 'half a sentence' });
    receive('friendship_removed', data);
    expect(chat.conversations.getLoaded(me, friend)).toBeUndefined();
    expect(getUnreadCounts()).toEqual({});
    expect(listOutgoing()).toEqual([]);
    expect(chat.drafts.get(friend)).toEqual(emptyDraft);
  });
});
