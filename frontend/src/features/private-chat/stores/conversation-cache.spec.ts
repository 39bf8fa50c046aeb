import { limits } from '@thaw/contract/limits';
import { type PrivateMessage } from '@thaw/contract/private-chat';
import { conversationKey } from '@/features/private-chat/api/private-messages';
import { ConversationCache } from '@/features/private-chat/stores/conversation-cache';
import { createQueryClient } from '@/lib/query-client';
import { aPrivateMessage } from '@/testing/factories';
import { flushPromises } from '@/testing/flush-promises';

const createMessages = (first: number, last: number): PrivateMessage[] =>
  Array.from({ length: last - first + 1 }, (_, index) => aPrivateMessage({ id: first + index }));

const setUp = () => {
  const queryClient = createQueryClient();
  const calls: { before: number | undefined; answer: (page: PrivateMessage[]) => void }[] = [];
  const conversations = new ConversationCache(
    queryClient,
    (_user, _friend, before) => new Promise((answer) => calls.push({ before, answer })),
  );
  const read = () =>
    queryClient.fetchQuery({
      queryKey: conversationKey(7, 12),
      queryFn: () => conversations.read(7, 12),
      staleTime: 0,
    });
  const answer = async (page: PrivateMessage[]): Promise<void> => {
    calls.at(-1)?.answer(page);
    await flushPromises();
  };
  const listMessageIds = (): number[] | undefined =>
    conversations.getLoaded(7, 12)?.messages.map(({ id }) => id);
  return { queryClient, conversations, calls, read, answer, listMessageIds };
};

it('keeps changes that are pushed while the messages are loading', async () => {
  const { conversations, read, answer, listMessageIds } = setUp();
  const reading = read();
  conversations.applyChange(7, 12, { type: 'sent', message: aPrivateMessage({ id: 3 }) });
  conversations.applyChange(7, 12, { type: 'deleted', messageId: 2 });
  await answer(createMessages(1, 2));
  await reading;
  expect(listMessageIds()).toEqual([1, 2, 3]);
  expect(conversations.getLoaded(7, 12)?.messages[1]?.isDeleted).toBe(true);
});

it('does not let a response in flight overwrite a pushed change', async () => {
  const { conversations, read, answer } = setUp();
  const first = read();
  await answer(createMessages(1, 2));
  await first;
  const again = read();
  conversations.applyChange(7, 12, { type: 'edited', messageId: 1, newContent: 'new' });
  expect(conversations.getLoaded(7, 12)?.messages[0]?.content).toBe('new');
  await answer(createMessages(1, 2));
  await again;
  expect(conversations.getLoaded(7, 12)?.messages[0]?.content).toBe('new');
});

it('does not cache a conversation that was never opened', () => {
  const { conversations } = setUp();
  conversations.applyChange(7, 12, { type: 'sent', message: aPrivateMessage({ id: 3 }) });
  expect(conversations.getLoaded(7, 12)).toBeUndefined();
});

it('refetches when a change refers to a message that should be loaded', async () => {
  const { queryClient, conversations, read, answer } = setUp();
  const reading = read();
  await answer(createMessages(5, 6));
  await reading;
  conversations.applyChange(7, 12, { type: 'edited', messageId: 4, newContent: 'new' });
  expect(queryClient.getQueryState(conversationKey(7, 12))?.isInvalidated).toBe(true);
});

describe('older messages', () => {
  const newest = createMessages(1_001, 1_000 + limits.privateMessagesPageSize);

  it('are loaded before the first loaded one, a page at a time, until there are none', async () => {
    const { conversations, calls, read, answer, listMessageIds } = setUp();
    const reading = read();
    await answer(newest);
    await reading;
    const older = conversations.readOlder(7, 12);
    expect(calls.at(-1)?.before).toBe(1_001);
    // Pushed in the meantime; not part of the older page.
    conversations.applyChange(7, 12, { type: 'sent', message: aPrivateMessage({ id: 2_000 }) });
    await answer(createMessages(991, 1_000));
    await expect(older).resolves.toBe(true);
    expect(listMessageIds()).toHaveLength(10 + limits.privateMessagesPageSize + 1);
    expect(listMessageIds()?.[0]).toBe(991);
    expect(listMessageIds()?.at(-1)).toBe(2_000);
    const count = calls.length;
    await expect(conversations.readOlder(7, 12)).resolves.toBe(false);
    expect(calls).toHaveLength(count);
  });

  it('are refetched together with the newest ones', async () => {
    const { conversations, calls, read, answer, listMessageIds } = setUp();
    const reading = read();
    await answer(newest);
    await reading;
    const older = conversations.readOlder(7, 12);
    await answer(createMessages(991, 1_000));
    await older;
    const again = read();
    await answer([...newest.slice(1), aPrivateMessage({ id: 1_600 })]);
    expect(calls.at(-1)?.before).toBe(1_002);
    await answer(createMessages(991, 1_001));
    await again;
    expect(listMessageIds()?.[0]).toBe(991);
    expect(listMessageIds()?.at(-1)).toBe(1_600);
  });
});
