import { type Notice } from '@thaw/contract/safety';
import { type QueryClient } from '@tanstack/react-query';

export const noticesKey = (userId: number) => [`/api/notices/${userId}`] as const;

/** Adds a notice to the loaded list, or replaces it. */
export const putNotice = (queries: QueryClient, userId: number, notice: Notice): void => {
  queries.setQueryData<Notice[]>(noticesKey(userId), (notices) =>
    notices?.some(({ id }) => id === notice.id)
      ? notices.map((other) => (other.id === notice.id ? notice : other))
      : notices && [notice, ...notices],
  );
};
