import { erasureAcceptedSchema, type RequestErasure } from '@thaw/contract/my-data';
import { copy } from '@/features/my-data/deletion/copy';
import { useAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { ApiError, request } from '@/lib/api-client';
import { currentUser, signOut } from '@/product/identity';
import { toast } from '@/ui/toast-store';

/** The message for the user when the deletion has failed. */
const explainFailure = (error: unknown): string => {
  if (!(error instanceof ApiError)) return copy.unreachable;
  return error.serverMessage ?? copy.failed;
};

/**
 * Requests the deletion of the account and signs the user out in every tab. Afterwards `useAccountDeletion` contains
 * the id of the receipt, or the message of the failure.
 */
export const deleteAccount = async (userId: number, confirmation: RequestErasure): Promise<void> => {
  useAccountDeletion.setState({ isPending: true, failure: null });
  try {
    const response = await request('POST', `/api/user/${userId}/erasure`, confirmation);
    const { receiptId } = erasureAcceptedSchema.parse(response);
    // Before `signOut`: at the end of the session, the chat page redirects to the receipt only if its id is known.
    useAccountDeletion.setState({ isPending: false, receiptId });
    signOut();
  } catch (error) {
    console.warn('The account was not deleted, or the response was lost', error);
    useAccountDeletion.setState({ isPending: false, failure: explainFailure(error) });
    // If only the response was lost, the deletion may have ended the session. The dialog that would show the failure is
    // then unmounted, so a toast explains it.
    const hasSessionEnded = currentUser()?.id !== userId;
    if (hasSessionEnded) toast({ ...copy.lostReceipt, tone: 'destructive' });
  }
};
