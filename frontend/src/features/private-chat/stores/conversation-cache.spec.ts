import { limits } from '@thaw/contract/limits';
import { type PrivateMessage } from '@thaw/contract/private-chat';
import { conversationKey } from '@/features/private-chat/api/private-messages';
import { ConversationCache } from '@/features/private-chat/stores/conversation-cache';
import { createQueryClient } from '@/lib/query-client';
import { aPrivateMessage } from '@/testing/factories';
import { flushPromises } from '@/testing/flush-promises';

const userId = 7;
const friendId = 12;

const createMessages = (firstId: number, lastId: number): PrivateMessage[] =>
  Array.from({ length: lastId - firstId + 1 }, (_, index) => aPrivateMessage({ id: firstId + index }));

/**
 * A cache whose requests for pages are recorded in `calls`. `respond` answers the last one. `load` and `loadOlder` read
 * a page and answer the request.
 */
const setUp = () => {
  const queryClient = createQueryClient();
  const calls: { beforeId: number | undefined; resolve: (page: PrivateMessage[]) => void }[] = [];
  const conversations = new ConversationCache(
    queryClient,
    (_userId, _friendId, beforeId) => new Promise((resolve) => calls.push({ beforeId, resolve })),
  );
  const read = () =>
    queryClient.fetchQuery({
      queryKey: conversationKey(userId, friendId),
      queryFn: () => conversations.read(userId, friendId),
      staleTime: 0,
    });
  const respond = async (page: PrivateMessage[]): Promise<void> => {
    calls.at(-1)?.resolve(page);
    await flushPromises();
  };
  const load = async (page: PrivateMessage[]): Promise<void> => {
    const reading = read();
    await respond(page);
    await reading;
  };
  const loadOlder = async (page: PrivateMessage[]): Promise<void> => {
    const reading = conversations.readOlder(userId, friendId);
    await respond(page);
    await reading;
  };
  const listMessageIds = (): number[] | undefined =>
    conversations.getLoaded(userId, friendId)?.messages.map(({ id }) => id);
  return { queryClient, conversations, calls, read, respond, load, loadOlder, listMessageIds };
};

it('keeps changes that are pushed while the messages are loading', async () => {
  const { conversations, read, respond, listMessageIds } = setUp();
  const reading = read();
  conversations.applyChange(userId, friendId, { type: 'sent', message: aPrivateMessage({ id: 3 }) });
  conversations.applyChange(userId, friendId, { type: 'deleted', messageId: 2 });
  await respond(createMessages(1, 2));
  await reading;
  expect(listMessageIds()).toEqual([1, 2, 3]);
  expect(conversations.getLoaded(userId, friendId)?.messages[1]?.isDeleted).toBe(true);
});

it('does not let a response in flight overwrite a pushed change', async () => {
  const { conversations, read, respond, load } = setUp();
  await load(createMessages(1, 2));
  const reading = read();
  conversations.applyChange(userId, friendId, { type: 'edited', messageId: 1, newContent: 'new' });
  expect(conversations.getLoaded(userId, friendId)?.messages[0]?.content).toBe('new');
  await respond(createMessages(1, 2));
  await reading;
  expect(conversations.getLoaded(userId, friendId)?.messages[0]?.content).toBe('new');
});

it('does not cache a conversation that was never opened', () => {
  const { conversations } = setUp();
  conversations.applyChange(userId, friendId, { type: 'sent', message: aPrivateMessage({ id: 3 }) });
  expect(conversations.getLoaded(userId, friendId)).toBeUndefined();
});

it('refetches when a change refers to a message that should be loaded but is not', async () => {
  const { queryClient, conversations, load } = setUp();
  // A page that is not full contains the first message, so message 4 cannot be on an older page.
  await load(createMessages(5, 6));
  conversations.applyChange(userId, friendId, { type: 'edited', messageId: 4, newContent: 'new' });
  expect(queryClient.getQueryState(conversationKey(userId, friendId))?.isInvalidated).toBe(true);
});

describe('older messages', () => {
  const newestPage = createMessages(1_001, 1_000 + limits.privateMessagesPageSize);
  const tenOlder = createMessages(991, 1_000);

  it('are put before the loaded ones, and a message that is pushed in the meantime is kept', async () => {
    const { conversations, calls, load, respond, listMessageIds } = setUp();
    await load(newestPage);
    const older = conversations.readOlder(userId, friendId);
    expect(calls.at(-1)?.beforeId).toBe(1_001);
    conversations.applyChange(userId, friendId, { type: 'sent', message: aPrivateMessage({ id: 2_000 }) });
    await respond(tenOlder);
    await expect(older).resolves.toBe(true); // a page was loaded
    expect(listMessageIds()).toHaveLength(tenOlder.length + newestPage.length + 1);
    expect(listMessageIds()?.[0]).toBe(991);
    expect(listMessageIds()?.at(-1)).toBe(2_000);
  });

  it('are no longer requested after the oldest page', async () => {
    const { conversations, calls, load, loadOlder } = setUp();
    await load(newestPage);
    await loadOlder(tenOlder); // not a full page, so it is the oldest
    const callCount = calls.length;
    await expect(conversations.readOlder(userId, friendId)).resolves.toBe(false);
    expect(calls).toHaveLength(callCount);
  });

  it('are refetched together with the newest ones', async () => {
    const { calls, read, respond, load, loadOlder, listMessageIds } = setUp();
    await load(newestPage);
    await loadOlder(tenOlder);
    const reading = read();
    // A new message has moved message 1,001 out of the newest page.
    await respond([...newestPage.slice(1), aPrivateMessage({ id: 1_600 })]);
    expect(calls.at(-1)?.beforeId).toBe(1_002);
    await respond(createMessages(991, 1_001));
    await reading;
    expect(listMessageIds()?.[0]).toBe(991);
    expect(listMessageIds()?.at(-1)).toBe(1_600);
  });
});
