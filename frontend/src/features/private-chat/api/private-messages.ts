import { limits } from '@thaw/contract/limits';
import { privateMessageSchema, type PrivateMessage } from '@thaw/contract/private-chat';
import * as z from 'zod/mini';
import { unreadCountsSchema, type UnreadCounts } from '@/features/private-chat/unread';
import { request } from '@/lib/api-client';

/** Keys of the query cache. The first element is the URL of the request (§7). */
export const conversationKey = (userId: number, friendId: number): readonly [string] => [
  `/api/private-messages/${userId}/${friendId}`,
];
export const unreadCountsKey = (userId: number): readonly [string] => [
  `/api/private-messages/unread-counts/${userId}`,
];

/** Whether a key of the query cache is the `conversationKey` of this user and any friend. */
export const isConversationKeyOfUser = (userId: number, [url]: readonly unknown[]): boolean =>
  typeof url === 'string' && /^\/api\/private-messages\/(\d+)\/\d+$/.exec(url)?.[1] === String(userId);

const messagesSchema = z.array(privateMessageSchema);

/**
 * Fetches one page of a conversation, oldest message first.
 * @param beforeId  id of a message: returns the page before it; without it, the newest page.
 */
export const fetchMessages = async (
  userId: number,
  friendId: number,
  beforeId?: number,
): Promise<PrivateMessage[]> => {
  const [url] = conversationKey(userId, friendId);
  const query = beforeId === undefined ? '' : `?before=${beforeId}&limit=${limits.privateMessagesPageSize}`;
  return messagesSchema.parse(await request('GET', `${url}${query}`));
};

/** Fetches the number of unread messages for each friend. */
export const fetchUnreadCounts = async (userId: number): Promise<UnreadCounts> =>
  unreadCountsSchema.parse(await request('GET', unreadCountsKey(userId)[0]));

/** Marks the friend's messages as read. */
export const markMessagesRead = async (friendId: number, userId: number): Promise<void> => {
  await request('PUT', `/api/private-messages/read/${friendId}/${userId}`);
};
