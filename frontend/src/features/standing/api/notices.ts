import { type ReadNotice } from '@thaw/contract/safety';
import { type Notice, noticeSchema } from '@thaw/contract/standing';
import { queryOptions, useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { noticesKey } from '@/features/standing/api/notices-cache';
import { request } from '@/lib/api-client';

/** The user's notices, newest first. The frame `notice` keeps them up to date. */
export const noticesQuery = (userId: number) =>
  queryOptions({
    queryKey: noticesKey(userId),
    queryFn: async ({ queryKey: [url] }): Promise<Notice[]> =>
      z.array(noticeSchema).parse(await request('GET', url)),
  });

export const useNotices = (userId: number, { everyMs }: { everyMs?: number } = {}) =>
  useQuery({ ...noticesQuery(userId), refetchInterval: everyMs ?? false, refetchIntervalInBackground: true });

export const readNotice = async (noticeId: number, reading: ReadNotice): Promise<Notice> =>
  noticeSchema.parse(await request('PUT', `/api/notices/${noticeId}`, reading));
