import { blockedUserSchema, blockSchema, type Block, type BlockedUser } from '@thaw/contract/safety';
import { queryOptions, useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { request } from '@/lib/api-client';

export const blocksKey = (userId: number) => [`/api/blocks/${userId}`] as const;

/** The people whom the user has blocked, newest first. The frame `block_changed` keeps the list up to date. */
export const blocksQuery = (userId: number) =>
  queryOptions({
    queryKey: blocksKey(userId),
    queryFn: async ({ queryKey: [url] }): Promise<BlockedUser[]> =>
      z.array(blockedUserSchema).parse(await request('GET', url)),
  });

export const useBlocks = (userId: number) => useQuery(blocksQuery(userId));

/** Whether the user has blocked a person; false until the list is loaded. */
export const useIsBlocked = (userId: number, personId: number): boolean =>
  useBlocks(userId).data?.some(({ blockedId }) => blockedId === personId) ?? false;

/** Blocks a person; blocking again has no further effect. */
export const blockUser = async (blockerId: number, blockedId: number): Promise<Block> =>
  blockSchema.parse(await request('POST', '/api/blocks', { blockerId, blockedId }));

export const unblockUser = (blockerId: number, blockedId: number): Promise<unknown> =>
  request('DELETE', `/api/blocks/${blockerId}/${blockedId}`);
