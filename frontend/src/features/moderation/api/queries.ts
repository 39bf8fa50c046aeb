import {
  casePageSchema,
  moderatedPersonSchema,
  moderationCaseSchema,
  type CaseFilter,
  type CasePage,
} from '@thaw/contract/moderation';
import {
  auditPageSchema,
  blockedImageSchema,
  moderationFiguresSchema,
  type AuditPage,
} from '@thaw/contract/moderation-records';
import { infiniteQueryOptions, queryOptions, type InfiniteData } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { request } from '@/lib/api-client';

/** How often an open queue is reloaded. */
const queueIntervalMs = 15_000;
const casesPerPage = 50;
/** A case or person opened again within this time comes from the cache, because the audit log records each request. */
const readStaleMs = 60_000;
/** Lists and figures are loaded again whenever they are opened. By default, data never becomes stale. */
const refetchOnMount = 'always' as const;

/** Appends search parameters to a URL, except those that are null. */
const withSearch = (url: string, search: Record<string, string | number | null>): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) if (value !== null) params.set(name, String(value));
  return params.size === 0 ? url : `${url}?${params}`;
};

/** The loaded pages of a queue: the cases that match one filter. */
export type Queue = InfiniteData<CasePage, string | null>;

export const casesUrl = '/api/moderation/cases';
const queueKey = (filter: CaseFilter) => [casesUrl, filter] as const;

export const queueQuery = (filter: CaseFilter) =>
  infiniteQueryOptions({
    queryKey: queueKey(filter),
    queryFn: async ({ pageParam }): Promise<CasePage> =>
      casePageSchema.parse(
        await request('GET', withSearch(casesUrl, { state: filter, limit: casesPerPage, cursor: pageParam })),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: queueIntervalMs,
    refetchOnMount,
  });

/** The URL is one element, not `[casesUrl, caseId]`, so that invalidating `[casesUrl]` reloads queues but no case. */
export const caseKey = (caseId: number) => [`${casesUrl}/${caseId}`] as const;

export const caseQuery = (caseId: number) =>
  queryOptions({
    queryKey: caseKey(caseId),
    queryFn: async ({ queryKey: [url] }) => moderationCaseSchema.parse(await request('GET', url)),
    staleTime: readStaleMs,
  });

export const personKey = (userId: number) => [`/api/moderation/people/${userId}`] as const;

export const personQuery = (userId: number) =>
  queryOptions({
    queryKey: personKey(userId),
    queryFn: async ({ queryKey: [url] }) => moderatedPersonSchema.parse(await request('GET', url)),
    staleTime: readStaleMs,
  });

export const imagesKey = ['/api/moderation/images'] as const;

export const imagesQuery = queryOptions({
  queryKey: imagesKey,
  queryFn: async ({ queryKey: [url] }) => z.array(blockedImageSchema).parse(await request('GET', url)),
  refetchOnMount,
});

export const figuresQuery = queryOptions({
  queryKey: ['/api/moderation/metrics'] as const,
  queryFn: async ({ queryKey: [url] }) => moderationFiguresSchema.parse(await request('GET', url)),
  refetchOnMount,
});

const auditUrl = '/api/moderation/audit';

/** The audit log of one moderator, or of all moderators if the id is null. */
export const auditQuery = (moderatorId: number | null) =>
  infiniteQueryOptions({
    queryKey: [auditUrl, moderatorId] as const,
    queryFn: async ({ pageParam }): Promise<AuditPage> =>
      auditPageSchema.parse(await request('GET', withSearch(auditUrl, { moderatorId, cursor: pageParam }))),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchOnMount,
  });
