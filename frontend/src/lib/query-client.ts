import { QueryClient, type QueryFunction, type QueryKey } from '@tanstack/react-query';
import { ApiError, request } from '@/lib/api-client';

/**
 * Creates a query function that requests the URL in the first element of the query key.
 * @param options.on401 a response with 401 (not signed in) throws an ApiError, or resolves to null
 */
export const createQueryFunction =
  ({ on401 }: { on401: 'throw' | 'returnNull' }): QueryFunction =>
  async ({ queryKey }) => {
    try {
      return await request('GET', String(queryKey[0]));
    } catch (error) {
      if (on401 === 'returnNull' && error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  };

/**
 * Creates a client with the defaults of the product specification: data never becomes stale, and there are no retries,
 * no polling and no refetch on focus.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        queryFn: createQueryFunction({ on401: 'throw' }),
        staleTime: Infinity,
        retry: false,
        refetchInterval: false,
        refetchOnWindowFocus: false,
        // Send requests even when the browser reports that it is offline.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/**
 * Refetches a query that is in flight when a change is pushed: its response may be older than the change. Data that is
 * already loaded is updated by the caller.
 */
export const refetchIfInFlight = async (client: QueryClient, queryKey: QueryKey): Promise<void> => {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus !== 'fetching') return;
  // Waits for an initial load: `invalidateQueries` would join it instead of starting a newer request.
  if (query.state.data === undefined) await query.promise?.catch(() => undefined);
  await client.invalidateQueries({ queryKey, exact: true });
};

/** The query cache of the page. */
export const queryClient = createQueryClient();
