import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
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
  /** Opens the chat with a friend. */
  onOpen: (friendId: number) => void;
}

const readCachedName = (queries: QueryClient, userId: number): string | undefined =>
  queries.getQueryData<Profile>(profileKey(userId))?.username;

interface ReceivedRequestsOptions extends Pick<FriendNewsOptions, 'userId' | 'isListOpen'> {
  onNews: () => void;
}

/** Shows a toast for each friend request that the user receives; closes it when the list of requests opens. */
const useReceivedRequests = ({ userId, isListOpen, onNews }: ReceivedRequestsOptions): void => {
  const queries = useQueryClient();
  /** Id of the last toast; `closeToast` ignores it once another toast is shown. */
  const toastId = useRef<number>(undefined);
  useEffect(() => {
    if (isListOpen && toastId.current !== undefined) closeToast(toastId.current);
  }, [isListOpen]);

  useEffect(
    () =>
      onAppEvent('friend-request-received', ({ id, requesterId }) => {
        onNews();
        if (isListOpen) return;
        const { received } = copy.toasts;
        const name = readCachedName(queries, requesterId) ?? copy.requests.placeholder(requesterId);
        toast({
          title: received.title,
          description: received.description(name),
          action: {
            ...received.action,
            run: () => {
              // `settleRequest` has already shown a toast for the failure.
              settleRequest(queries, userId, id, 'accepted').catch(() => undefined);
            },
          },
        });
        // `shown` is now the toast above.
        toastId.current = useToasts.getState().shown?.id;
      }),
    [queries, userId, isListOpen, onNews],
  );
};

interface AcceptedRequestsOptions extends Pick<FriendNewsOptions, 'onOpen'> {
  onNews: () => void;
}

/** Shows a toast for each request by the user that is accepted. Its action opens the chat with the new friend. */
const useAcceptedRequests = ({ onOpen, onNews }: AcceptedRequestsOptions): void => {
  const queries = useQueryClient();
  useEffect(
    () =>
      onAppEvent('friendship-accepted', ({ requestId, friendId }) => {
        // An action of the user on this page has caused the friendship. The page shows another toast for it.
        if (requestIdsSettledByThisPage.has(requestId)) return;
        // The server has accepted the user's own request at once, because the friend had already sent one. This event
        // has overtaken the response to the user's request, for which the page shows another toast.
        if (readSentRequest(queries, friendId) === 'sending') return;
        onNews();
        const { befriended } = copy.toasts;
        const name = readCachedName(queries, friendId);
        toast({
          title: befriended.title,
          ...(name === undefined ? {} : { description: befriended.description(name) }),
          action: { ...befriended.action, run: () => onOpen(friendId) },
        });
      }),
    [queries, onOpen, onNews],
  );
};

/**
 * Shows toasts for friend requests that the user receives, and for requests by the user that are accepted.
 * @returns the number of both kinds of requests since the page was opened
 */
export const useFriendNews = ({ userId, isListOpen, onOpen }: FriendNewsOptions): number => {
  const [count, setCount] = useState(0);
  const onNews = useCallback(() => setCount((current) => current + 1), []);
  useReceivedRequests({ userId, isListOpen, onNews });
  useAcceptedRequests({ onOpen, onNews });
  return count;
};
