import { QueryClient, type QueryFunction } from '@tanstack/react-query';
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

/** The page's one cache. */
export const queryClient = createQueryClient();
