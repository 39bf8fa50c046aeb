import { copy } from '@/features/moderation/copy';
import { ApiError } from '@/lib/api-client';
import { toast } from '@/ui/toast-store';

/** The message for the moderator when a request has failed: that of the server, if it sent one. */
export const explainFailure = (error: unknown): string =>
  (error instanceof ApiError && error.serverMessage) || copy.failures.retry;

/** Logs a failed request and shows its message in a toast. */
export const toastFailure = (error: unknown): void => {
  console.warn('The request of a moderator failed', error);
  toast({ title: copy.failures.title, description: explainFailure(error), tone: 'destructive' });
};

/** Whether the server refused because the user is no longer a moderator (403), or is signed out (401). */
export const isAccessRefused = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 401);
