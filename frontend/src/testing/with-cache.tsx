import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { type ReactElement } from 'react';
import { createQueryClient } from '@/lib/query-client';

/** Renders an element with a separate query cache. */
export const renderWithCache = (element: ReactElement, queries: QueryClient = createQueryClient()) => ({
  ...render(element, {
    wrapper: ({ children }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>,
  }),
  queries,
});
