import {
  type Receipt,
  type ReceiptKey,
  receiptIdSchema,
  receiptKeysSchema,
  receiptSchema,
} from '@thaw/contract/my-data';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { request } from '@/lib/api-client';

const pollEveryMs = 2_000;

export const isReceiptId = (text: string): boolean => receiptIdSchema.safeParse(text).success;

/** A receipt, with the time of its recount in ms since the epoch. */
export type CountedReceipt = Receipt & { countedAt: number };

const receiptQuery = (receiptId: string) =>
  queryOptions({
    queryKey: [`/api/receipts/${receiptId}`],
    queryFn: async (): Promise<CountedReceipt> => ({
      ...receiptSchema.parse(await request('GET', `/api/receipts/${receiptId}`)),
      countedAt: Date.now(),
    }),
  });

/** A receipt, loaded again and again while the deletion is running. */
export const useReceipt = (receiptId: string) =>
  useQuery({
    ...receiptQuery(receiptId),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? pollEveryMs : false),
    refetchIntervalInBackground: true,
  });

/** The public keys of the server. */
export const fetchKeys = async (): Promise<readonly ReceiptKey[]> =>
  receiptKeysSchema.parse(await request('GET', '/api/receipts/keys')).keys;
