import { limits } from '@thaw/contract/limits';
import { privateMessageSchema, type PrivateMessage } from '@thaw/contract/private-chat';
import * as z from 'zod/mini';
import { unreadCountsSchema, type UnreadCounts } from '@/features/private-chat/unread';
import { request } from '@/lib/api-client';

// Keys of the query cache. As §7 of the product specification requires, the first element is the URL of the request.

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
 * @param beforeId  id of the message after the last one of the page; if absent, the newest page is fetched
 */
export const fetchMessages = async (
  userId: number,
  friendId: number,
  beforeId?: number,
): Promise<PrivateMessage[]> => {
  const [url] = conversationKey(userId, friendId);
  // The newest page is fetched without a query, because its URL is the key. The server's default page size is the same.
  const query = beforeId === undefined ? '' : `?before=${beforeId}&limit=${limits.privateMessagesPageSize}`;
  return messagesSchema.parse(await request('GET', `${url}${query}`));
};

/** Fetches the number of unread messages for each friend. */
export const fetchUnreadCounts = async (userId: number): Promise<UnreadCounts> =>
  unreadCountsSchema.parse(await request('GET', unreadCountsKey(userId)[0]));

/** Marks all messages from the friend to the user as read. */
export const markMessagesRead = async (userId: number, friendId: number): Promise<void> => {
  // In this URL, the friend precedes the user.
  await request('PUT', `/api/private-messages/read/${friendId}/${userId}`);
};
