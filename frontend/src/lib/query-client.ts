import { QueryClient, type QueryFunction, type QueryKey } from '@tanstack/react-query';
import { ApiError, request } from '@/lib/api-client';

/** Loads the first element of the query key; a 401 is an error, or an empty result where that is asked for (§7). */
export const loader =
  ({ on401 }: { on401: 'throw' | 'empty' }): QueryFunction =>
  async ({ queryKey }) => {
    try {
      return await request('GET', String(queryKey[0]));
    } catch (error) {
      if (on401 === 'empty' && error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  };

/** The specification's defaults: never stale, never repeated, never polled, nothing on focus. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        queryFn: loader({ on401: 'throw' }),
        staleTime: Infinity,
        retry: false,
        refetchInterval: false,
        refetchOnWindowFocus: false,
        // A call answers or fails; it does not wait for the browser to believe that it is online.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** After a pushed change: an answer under way may have been read before it, so it is asked for again. */
export const askAgainIfUnderWay = async (queries: QueryClient, queryKey: QueryKey): Promise<void> => {
  const query = queries.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus !== 'fetching') return;
  // The first answer is waited for: there is nothing to patch yet.
  if (query.state.data === undefined) await query.promise?.catch(() => undefined);
  await queries.invalidateQueries({ queryKey, exact: true });
};

/** The page's one cache. */
export const queryClient = createQueryClient();
