import { create } from 'zustand';

interface AccountDeletion {
  isPending: boolean;
  /**
   * Id of the receipt, the signed record of the deletion, if the account was deleted in this tab; null again once the
   * page of the receipt is open.
   */
  receiptId: string | null;
  /** Message for the user if the last attempt failed. */
  failure: string | null;
}

const idle: AccountDeletion = { isPending: false, receiptId: null, failure: null };

/**
 * The state of the deletion of the user's account. It is kept outside the dialog, because the session usually ends
 * before the response arrives, and the dialog is unmounted with the session.
 */
export const useAccountDeletion = create<AccountDeletion>(() => idle);

export const resetAccountDeletion = (): void => useAccountDeletion.setState(idle);

/** The path of the page that shows a receipt. */
export const receiptPath = (receiptId: string): string => `/receipt?id=${encodeURIComponent(receiptId)}`;
