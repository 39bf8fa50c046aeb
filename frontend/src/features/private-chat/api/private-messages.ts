import { limits } from '@thaw/contract/limits';
import { privateMessageSchema, type PrivateMessage } from '@thaw/contract/private-chat';
import * as z from 'zod/mini';
import { unreadCountsSchema, type UnreadCounts } from '@/features/private-chat/unread';
import { request } from '@/lib/api-client';

/** Query keys; the first element is the URL (§7). */
export const conversationKey = (userId: number, friendId: number): readonly [string] => [
  `/api/private-messages/${userId}/${friendId}`,
];
export const unreadKey = (userId: number): readonly [string] => [
  `/api/private-messages/unread-counts/${userId}`,
];

/** Whether a query key belongs to one of the user's conversations. */
export const conversationsOf = (userId: number, [url]: readonly unknown[]): boolean =>
  typeof url === 'string' && /^\/api\/private-messages\/(\d+)\/\d+$/.exec(url)?.[1] === String(userId);

const pageSchema = z.array(privateMessageSchema);

/** The newest page of messages, oldest first, or the page before the message `before`. */
export const fetchPage = async (
  userId: number,
  friendId: number,
  before?: number,
): Promise<PrivateMessage[]> => {
  const [url] = conversationKey(userId, friendId);
  const query = before === undefined ? '' : `?before=${before}&limit=${limits.privateMessagesPage}`;
  return pageSchema.parse(await request('GET', `${url}${query}`));
};

export const fetchUnread = async (userId: number): Promise<UnreadCounts> =>
  unreadCountsSchema.parse(await request('GET', unreadKey(userId)[0]));

/** Marks the friend's messages as read. */
export const markRead = async (friendId: number, userId: number): Promise<void> => {
  await request('PUT', `/api/private-messages/read/${friendId}/${userId}`);
};
