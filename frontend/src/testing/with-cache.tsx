import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { type ReactElement } from 'react';
import { createQueryClient } from '@/lib/query-client';

/** Renders an element with a query cache of its own, or with `queryClient`. */
export const renderWithCache = (element: ReactElement, queryClient: QueryClient = createQueryClient()) => ({
  ...render(element, {
    wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
  }),
  queryClient,
});
