import { chatHistoryEntrySchema, type ChatHistoryEntry } from '@thaw/contract/http';
import { queryOptions, useQuery } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { request } from '@/lib/api-client';

export const chatHistoryKey = (userId: number) => [`/api/chat-history/${userId}`] as const;

/** Loads the user's chat history, again whenever its dialog opens, because every match adds an entry. */
export const useChatHistory = (userId: number) =>
  useQuery(
    queryOptions({
      queryKey: chatHistoryKey(userId),
      queryFn: async ({ queryKey: [url] }) =>
        z.array(chatHistoryEntrySchema).parse(await request('GET', url)),
      refetchOnMount: 'always',
    }),
  );

export const getPartnerId = ({ user1Id, user2Id }: ChatHistoryEntry, userId: number): number =>
  user1Id === userId ? user2Id : user1Id;

export const sortNewestFirst = (entries: readonly ChatHistoryEntry[]): ChatHistoryEntry[] =>
  [...entries].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id);
