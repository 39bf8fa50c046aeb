import { useEffect } from 'react';
import { useSearchParams } from 'react-router-dom';
import { WithQueries } from '@/app/with-queries';
import { resetAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { ReceiptPage } from '@/features/my-data/receipt/components/receipt-page';

/** Shows the receipt of an account deletion. */
export const ReceiptRoute = () => {
  const [search] = useSearchParams();
  // Forgets the deletion that led here. Otherwise the next user who signs out in this tab is redirected here, too.
  useEffect(() => resetAccountDeletion(), []);
  return (
    <WithQueries>
      <ReceiptPage receiptId={search.get('id')} />
    </WithQueries>
  );
};
