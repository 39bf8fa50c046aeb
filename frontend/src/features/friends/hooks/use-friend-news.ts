import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type Profile } from '@thaw/contract/users';
import { copy } from '@/features/friends/copy';
import { readSentRequest } from '@/features/friends/stores/sent-requests';
import { settleRequest } from '@/features/friends/stores/settle-request';
import { requestIdsSettledByThisPage } from '@/features/friends/stores/settled-requests';
import { onAppEvent } from '@/product/app-events';
import { profileKey } from '@/product/profile-query';
import { closeToast, toast, useToasts } from '@/ui/toast-store';

export interface FriendNewsOptions {
  userId: number;
  /** Whether the list of requests is open. It shows new requests itself, so they need no toast. */
  isListOpen: boolean;
  onOpen: (friendId: number) => void;
}

const readCachedName = (queries: QueryClient, userId: number): string | undefined =>
  queries.getQueryData<Profile>(profileKey(userId))?.username;

/**
 * Shows a toast with an action for each friend request that the user receives, and for each request of the user that is
 * accepted.
 * @returns the number of these requests since the page was opened
 */
export const useFriendNews = ({ userId, isListOpen, onOpen }: FriendNewsOptions): number => {
  const queries = useQueryClient();
  const [count, setCount] = useState(0);
  /** Id of the last toast for a received request; `closeToast` ignores it once another toast is shown. */
  const requestToastId = useRef<number>(undefined);
  // The options of the last render, for the handlers of events.
  const latestOptions = useRef({ isListOpen, onOpen });
  useEffect(() => {
    latestOptions.current = { isListOpen, onOpen };
    if (isListOpen && requestToastId.current !== undefined) closeToast(requestToastId.current);
  });

  useEffect(
    () =>
      onAppEvent('friend-request-received', ({ id, requesterId }) => {
        setCount((current) => current + 1);
        if (latestOptions.current.isListOpen) return;
        const { received } = copy.toasts;
        toast({
          title: received.title,
          description: received.description(
            readCachedName(queries, requesterId) ?? copy.requests.placeholder(requesterId),
          ),
          action: {
            ...received.action,
            run: () => {
              // `settleRequest` has already shown a toast for the failure.
              settleRequest(queries, userId, id, 'accepted').catch(() => undefined);
            },
          },
        });
        // `toast` has replaced `shown` by the toast above.
        requestToastId.current = useToasts.getState().shown?.id;
      }),
    [queries, userId],
  );
  useEffect(
    () =>
      onAppEvent('friendship-accepted', ({ requestId, friendId }) => {
        // The page shows another toast for a friendship that the user has caused here. The server accepts the user's
        // own request at once if the other user has already sent one, so the request may still be `sending`.
        const isCausedByUser =
          requestIdsSettledByThisPage.has(requestId) || readSentRequest(queries, friendId) === 'sending';
        if (isCausedByUser) return;
        setCount((current) => current + 1);
        const { befriended } = copy.toasts;
        const name = readCachedName(queries, friendId);
        toast({
          title: befriended.title,
          ...(name === undefined ? {} : { description: befriended.description(name) }),
          action: { ...befriended.action, run: () => latestOptions.current.onOpen(friendId) },
        });
      }),
    [queries],
  );
  return count;
};
