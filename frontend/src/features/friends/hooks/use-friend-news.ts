import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Profile } from '@thaw/contract/users';
import { copy } from '@/features/friends/copy';
import { sentRequest } from '@/features/friends/stores/sent-requests';
import { settleRequest } from '@/features/friends/stores/settle-request';
import { settledHere } from '@/features/friends/stores/settled-here';
import { onAppEvent } from '@/product/app-events';
import { profileKey } from '@/product/profile-query';
import { closeToast, toast, useToasts } from '@/ui/toast-store';

export interface FriendNewsOptions {
  userId: number;
  /** The list of requests is open and shows a new request itself. */
  isListOpen: boolean;
  onOpen: (friendId: number) => void;
}

const nameOf = (queries: QueryClient, userId: number): string | undefined =>
  queries.getQueryData<Profile>(profileKey(userId))?.username;

/**
 * Shows a toast with an action for each request that is received and each one that is accepted.
 * @returns the number of both since the page was opened.
 */
export const useFriendNews = ({ userId, isListOpen, onOpen }: FriendNewsOptions): number => {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  const shownRequest = useRef<number>(undefined);
  const latest = useRef({ isListOpen, onOpen });
  useEffect(() => {
    latest.current = { isListOpen, onOpen };
    if (isListOpen && shownRequest.current !== undefined) closeToast(shownRequest.current);
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
            nameOf(queries, requesterId) ?? copy.requests.placeholder(requesterId),
          ),
          action: {
            ...received.action,
            run: () => {
              // `settleRequest` shows its own toast on failure.
              settleRequest(queries, userId, id, 'accepted').catch(() => undefined);
            },
          },
        });
        shownRequest.current = useToasts.getState().shown?.id;
      }),
    [queries, userId],
  );
  useEffect(
    () =>
      onAppEvent('friendship-accepted', ({ requestId, friendId }) => {
        const isMyDoing = settledHere.has(requestId) || sentRequest(queries, friendId) === 'sending';
        if (isMyDoing) return;
        setCount((present) => present + 1);
        const { befriended } = copy.toasts;
        const name = nameOf(queries, friendId);
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
