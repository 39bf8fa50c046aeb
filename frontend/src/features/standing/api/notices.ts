import { type ReadNotice } from '@thaw/contract/safety';
import { type Notice, noticeSchema } from '@thaw/contract/standing';
import { queryOptions, useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { noticesKey } from '@/features/standing/api/notices-cache';
import { request } from '@/lib/api-client';

/**
 * The user's notices (messages about moderation decisions that concern them), newest first. The frame `notice` keeps
 * them up to date.
 */
export const noticesQuery = (userId: number) =>
  queryOptions({
    queryKey: noticesKey(userId),
    queryFn: async ({ queryKey: [url] }): Promise<Notice[]> =>
      z.array(noticeSchema).parse(await request('GET', url)),
  });

/** @param refetchEveryMs  polling interval, for a user without a socket; if absent, the notices are not polled */
export const useNotices = (userId: number, { refetchEveryMs }: { refetchEveryMs?: number } = {}) =>
  useQuery({
    ...noticesQuery(userId),
    refetchInterval: refetchEveryMs ?? false,
    refetchIntervalInBackground: true,
  });

/** Marks a notice as seen, and answers it if it is an age question. Resolves to the notice as it is stored then. */
export const updateNotice = async (noticeId: number, update: ReadNotice): Promise<Notice> =>
  noticeSchema.parse(await request('PUT', `/api/notices/${noticeId}`, update));
