import { blockUser, unblockUser } from '@/features/safety/api/blocks';
import { copy } from '@/features/safety/copy';
import { type Person } from '@/features/safety/stores/block-dialog.store';
import { ApiError } from '@/lib/api-client';
import { raise } from '@/product/app-events';
import { currentUser } from '@/product/identity';
import { toast } from '@/ui/toast-store';

/** Shows a failed request in a toast, with the server's message if it sent one. */
export const toastFailure = (error: unknown, failure: { title: string; description: string }): void =>
  toast({
    title: failure.title,
    description: (error instanceof ApiError && error.serverMessage) || failure.description,
    tone: 'destructive',
  });

/**
 * Applies a block or unblock to this page, without waiting for the server's frame `block_changed`. Does nothing if
 * another user has signed in during the request.
 * @param userId the user who was signed in when the request was sent
 */
export const applyBlockToThisPage = (
  userId: number,
  { personId, isBlocked }: { personId: number; isBlocked: boolean },
): void => {
  if (currentUser()?.id === userId) raise('block-changed', { userId: personId, isBlocked });
};

/**
 * Unblocks a person and shows a toast for either outcome.
 * @throws the error of the request, after the toast.
 */
export const unblock = async (userId: number, personId: number): Promise<void> => {
  try {
    await unblockUser(userId, personId);
  } catch (error) {
    // The person was unblocked before, for example in another tab. This counts as success.
    const wasUnblocked = error instanceof ApiError && error.status === 404;
    if (!wasUnblocked) {
      console.warn('The person was not unblocked', error);
      toastFailure(error, copy.unblock.failed);
      throw error;
    }
  }
  applyBlockToThisPage(userId, { personId, isBlocked: false });
  toast(copy.unblock.done);
};

/**
 * Blocks a person and shows a toast for either outcome. The toast of a success has an action that unblocks.
 * @throws the error of the request, after the toast.
 */
export const block = async (userId: number, person: Person): Promise<void> => {
  try {
    await blockUser(userId, person.id);
  } catch (error) {
    console.warn('The person was not blocked', error);
    toastFailure(error, copy.block.failed);
    throw error;
  }
  applyBlockToThisPage(userId, { personId: person.id, isBlocked: true });
  const { blocked } = copy.block;
  toast({
    title: blocked.title,
    description: blocked.description(person.username),
    action: {
      ...blocked.action,
      // `unblock` shows its own toast on failure.
      run: () => void unblock(userId, person.id).catch(() => undefined),
    },
  });
};
