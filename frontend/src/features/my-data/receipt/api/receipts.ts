import {
  type Receipt,
  type ReceiptKey,
  receiptIdSchema,
  receiptKeysSchema,
  receiptSchema,
} from '@thaw/contract/my-data';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { request } from '@/lib/api-client';

const pollIntervalMs = 2_000;

/** Whether a text is a well-formed id of a receipt. */
export const isReceiptId = (text: string): boolean => receiptIdSchema.safeParse(text).success;

/**
 * The receipt of a deleted account. For each response, the server counts the data that are still stored (`remaining`);
 * `countedAt` is the time at which the response arrived, in ms since the epoch.
 */
export type CountedReceipt = Receipt & { countedAt: number };

const receiptQuery = (receiptId: string) =>
  queryOptions({
    queryKey: [`/api/receipts/${receiptId}`],
    queryFn: async (): Promise<CountedReceipt> => ({
      ...receiptSchema.parse(await request('GET', `/api/receipts/${receiptId}`)),
      countedAt: Date.now(),
    }),
  });

/** A receipt, reloaded every 2 s while the deletion is running, also in a tab in the background. */
export const useReceipt = (receiptId: string) =>
  useQuery({
    ...receiptQuery(receiptId),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? pollIntervalMs : false),
    refetchIntervalInBackground: true,
  });

/** Loads the public keys with which the server signs receipts. */
export const fetchKeys = async (): Promise<readonly ReceiptKey[]> =>
  receiptKeysSchema.parse(await request('GET', '/api/receipts/keys')).keys;
