import { type Notice } from '@thaw/contract/safety';
import { type QueryClient } from '@tanstack/react-query';

export const noticesKey = (userId: number) => [`/api/notices/${userId}`] as const;

/** Adds a notice to the cached list, or replaces it there. Without effect until the list is loaded. */
export const putNotice = (queryClient: QueryClient, userId: number, notice: Notice): void => {
  queryClient.setQueryData<Notice[]>(noticesKey(userId), (notices) => {
    if (!notices) return undefined;
    const isCached = notices.some(({ id }) => id === notice.id);
    if (!isCached) return [notice, ...notices]; // newest first, as the server lists them
    return notices.map((other) => (other.id === notice.id ? notice : other));
  });
};
