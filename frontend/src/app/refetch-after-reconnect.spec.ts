import { QueryObserver } from '@tanstack/react-query';
import { refetchAfterReconnect } from '@/app/refetch-after-reconnect';
import { createQueryClient } from '@/lib/query-client';

it('refetches friends, requests, unread counts and the open conversation only', async () => {
  const queries = createQueryClient();
  const asked: string[] = [];
  const cached = (queryKey: readonly [string, ...string[]], isOpen = true): void => {
    queries.setQueryData(queryKey, []);
    const queryFn = async () => {
      asked.push(queryKey.join(' '));
      return [];
    };
    if (isOpen) new QueryObserver(queries, { queryKey, queryFn }).subscribe(() => undefined);
  };
  cached(['/api/friends/7']);
  cached(['/api/friends/requests/7']);
  cached(['/api/private-messages/unread-counts/7']);
  cached(['/api/private-messages/7/12']);
  cached(['/api/private-messages/7/13'], false);
  cached(['/api/user/7']);
  cached(['/api/user/12', 'profile']);
  cached(['/api/chat-history/7']);

  refetchAfterReconnect(queries, 7);
  await Promise.resolve();
  expect(asked.sort()).toEqual([
    '/api/friends/7',
    '/api/friends/requests/7',
    '/api/private-messages/7/12',
    '/api/private-messages/unread-counts/7',
  ]);
  // A closed conversation is fetched when it is opened.
  expect(queries.getQueryState(['/api/private-messages/7/13'])?.isInvalidated).toBe(true);
  queries.clear();
});
