import { erasureAcceptedSchema, type RequestErasure } from '@thaw/contract/my-data';
import { copy } from '@/features/my-data/deletion/copy';
import { useAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { ApiError, request } from '@/lib/api-client';
import { currentUser, signOut } from '@/product/identity';
import { toast } from '@/ui/toast-store';

const describe = (error: unknown): string => {
  if (!(error instanceof ApiError)) return copy.unreachable;
  return error.serverMessage ?? copy.failed;
};

/** Deletes the account, and signs the user out in every tab. The store has the receipt, or why it failed. */
export const deleteAccount = async (userId: number, confirmation: RequestErasure): Promise<void> => {
  useAccountDeletion.setState({ isPending: true, failure: null });
  try {
    const response = await request('POST', `/api/user/${userId}/erasure`, confirmation);
    const { receiptId } = erasureAcceptedSchema.parse(response);
    useAccountDeletion.setState({ isPending: false, receiptId });
    signOut();
  } catch (error) {
    console.warn('The account was not deleted, or the response was lost', error);
    useAccountDeletion.setState({ isPending: false, failure: describe(error) });
    // The dialog, which shows the failure, is gone with the session.
    if (currentUser()?.id !== userId) toast({ ...copy.lostReceipt, tone: 'destructive' });
  }
};
