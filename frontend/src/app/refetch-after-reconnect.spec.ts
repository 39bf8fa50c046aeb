import { QueryObserver } from '@tanstack/react-query';
import { refetchAfterReconnect } from '@/app/refetch-after-reconnect';
import { createQueryClient } from '@/lib/query-client';

it('refetches friends, requests, unread counts, notices and the open conversation only', async () => {
  const queries = createQueryClient();
  const refetched: string[] = [];
  const cacheQuery = (queryKey: readonly [string, ...string[]], isOpen = true): void => {
    queries.setQueryData(queryKey, []);
    const queryFn = async () => {
      refetched.push(queryKey.join(' '));
      return [];
    };
    if (isOpen) new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  };
  cacheQuery(['/api/friends/7']);
  cacheQuery(['/api/friends/requests/7']);
  cacheQuery(['/api/private-messages/unread-counts/7']);
  cacheQuery(['/api/private-messages/7/12']);
  cacheQuery(['/api/private-messages/7/13'], false);
  cacheQuery(['/api/notices/7']);
  cacheQuery(['/api/user/7']);
  cacheQuery(['/api/user/12', 'profile']);
  cacheQuery(['/api/chat-history/7']);

  refetchAfterReconnect(queries, 7);
  await Promise.resolve();
  expect(refetched.sort()).toEqual([
    '/api/friends/7',
    '/api/friends/requests/7',
    '/api/notices/7',
    '/api/private-messages/7/12',
    '/api/private-messages/unread-counts/7',
  ]);
  // A closed conversation is fetched when it is opened.
  expect(queries.getQueryState(['/api/private-messages/7/13'])?.isInvalidated).toBe(true);
  queries.clear();
});
