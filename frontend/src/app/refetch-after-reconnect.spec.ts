import { QueryObserver } from '@tanstack/react-query';
import { refetchAfterReconnect } from '@/app/refetch-after-reconnect';
import { createQueryClient } from '@/lib/query-client';

it('refetches only friends, requests, unread counts, blocks, notices and the open conversation', async () => {
  const queryClient = createQueryClient();
  const refetched: string[] = [];
  /** Caches a query. An open one is observed, as by a component that is mounted. */
  const cacheQuery = (queryKey: readonly [string, ...string[]], { isOpen = true } = {}): void => {
    queryClient.setQueryData(queryKey, []);
    const queryFn = async () => {
      refetched.push(queryKey.join(' '));
      return [];
    };
    // Cached data never becomes stale, so observing the query does not fetch it.
    if (isOpen) new QueryObserver(queryClient, { queryKey, queryFn }).subscribe(() => undefined);
  };
  cacheQuery(['/api/friends/7']);
  cacheQuery(['/api/friends/requests/7']);
  cacheQuery(['/api/private-messages/unread-counts/7']);
  cacheQuery(['/api/private-messages/7/12']);
  cacheQuery(['/api/private-messages/7/13'], { isOpen: false });
  cacheQuery(['/api/blocks/7']);
  cacheQuery(['/api/notices/7']);
  cacheQuery(['/api/user/7']);
  cacheQuery(['/api/user/12', 'profile']);
  cacheQuery(['/api/chat-history/7']);

  refetchAfterReconnect(queryClient, 7);
  await Promise.resolve();
  expect(refetched.sort()).toEqual([
    '/api/blocks/7',
    '/api/friends/7',
    '/api/friends/requests/7',
    '/api/notices/7',
    '/api/private-messages/7/12',
    '/api/private-messages/unread-counts/7',
  ]);
  // A closed conversation is only marked stale; it is fetched when it is opened.
  expect(queryClient.getQueryState(['/api/private-messages/7/13'])?.isInvalidated).toBe(true);
  queryClient.clear();
});
