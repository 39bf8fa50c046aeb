import { copy } from '@/features/moderation/copy';
import { ApiError } from '@/lib/api-client';
import { toast } from '@/ui/toast-store';

/** The reason, for the moderator, of a request that failed. */
export const explainFailure = (error: unknown): string =>
  (error instanceof ApiError && error.serverMessage) || copy.done.retry;

export const toastFailure = (error: unknown): void => {
  console.warn('The request of a moderator failed', error);
  toast({ title: copy.done.failed, description: explainFailure(error), tone: 'destructive' });
};

/** Whether the moderator may no longer use the tool. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 401);
