import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Profile } from '@thaw/contract/users';
import { copy } from '@/features/friends/copy';
import { readSentRequest } from '@/features/friends/stores/sent-requests';
import { settleRequest } from '@/features/friends/stores/settle-request';
import { requestIdsSettledHere } from '@/features/friends/stores/settled-here';
import { onAppEvent } from '@/product/app-events';
import { profileKey } from '@/product/profile-query';
import { closeToast, toast, useToasts } from '@/ui/toast-store';

export interface FriendNewsOptions {
  userId: number;
  /** The list of requests is open and shows a new request itself. */
  isListOpen: boolean;
  onOpen: (friendId: number) => void;
}

const readCachedName = (queries: QueryClient, userId: number): string | undefined =>
  queries.getQueryData<Profile>(profileKey(userId))?.username;

/**
 * Shows a toast with an action for each request that is received and each one that is accepted.
 * @returns the number of both since the page was opened.
 */
export const useFriendNews = ({ userId, isListOpen, onOpen }: FriendNewsOptions): number => {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  const shownToastId = useRef<number>(undefined);
  const latest = useRef({ isListOpen, onOpen });
  useEffect(() => {
    latest.current = { isListOpen, onOpen };
    if (isListOpen && shownToastId.current !== undefined) closeToast(shownToastId.current);
  });

  useEffect(
    () =>
      onAppEvent('friend-request-received', ({ id, requesterId }) => {
        setCount((present) => present + 1);
        if (latest.current.isListOpen) return;
        const { received } = copy.toasts;
        toast({
          title: received.title,
          description: received.description(
            readCachedName(queries, requesterId) ?? copy.requests.placeholder(requesterId),
          ),
          action: {
            ...received.action,
            run: () => {
              // `settleRequest` shows its own toast on failure.
              settleRequest(queries, userId, id, 'accepted').catch(() => undefined);
            },
          },
        });
        shownToastId.current = useToasts.getState().shown?.id;
      }),
    [queries, userId],
  );
  useEffect(
    () =>
      onAppEvent('friendship-accepted', ({ requestId, friendId }) => {
        const isCausedByUser =
          requestIdsSettledHere.has(requestId) || readSentRequest(queries, friendId) === 'sending';
        // The user has already seen a toast for it.
        if (isCausedByUser) return;
        setCount((present) => present + 1);
        const { befriended } = copy.toasts;
        const name = readCachedName(queries, friendId);
        toast({
          title: befriended.title,
          ...(name === undefined ? {} : { description: befriended.description(name) }),
          action: { ...befriended.action, run: () => latest.current.onOpen(friendId) },
        });
      }),
    [queries],
  );
  return count;
};
