import { create } from 'zustand';

interface AccountDeletion {
  isPending: boolean;
  /** The receipt of the account that was deleted in this tab; null when there is none, or its page was opened. */
  receiptId: string | null;
  /** Why the last attempt failed, for the user. */
  failure: string | null;
}

const idle: AccountDeletion = { isPending: false, receiptId: null, failure: null };

/**
 * The deletion of the signed-in user's account. Outside the dialog, since the session usually ends, and with it the
 * dialog, before the response arrives.
 */
export const useAccountDeletion = create<AccountDeletion>(() => idle);

export const resetAccountDeletion = (): void => useAccountDeletion.setState(idle);

/** The path of the page of a receipt. */
export const receiptPath = (receiptId: string): string => `/receipt?id=${encodeURIComponent(receiptId)}`;
