import { type FriendRequest } from '@thaw/contract/friends';
import { Check, X } from 'lucide-react';
import { type ReactNode } from 'react';
import { useFriendRequests } from '@/features/friends/api/friends';
import { copy } from '@/features/friends/copy';
import { useAnswerFriendRequest } from '@/features/friends/hooks/use-answer-friend-request';
import { useProfile } from '@/product/profile-query';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';
import { Modal } from '@/ui/modal';

const RequestRow = ({ userId, request }: { userId: number; request: FriendRequest }) => {
  const { requesterId } = request;
  const nameOfUnknownUser = copy.requests.placeholder(requesterId);
  const { username, avatar } = useProfile(requesterId, nameOfUnknownUser);
  const { isAnswered, answer } = useAnswerFriendRequest(userId, request);
  const nameId = `requester-${request.id}`;
  return (
    <li className="flex items-center gap-3 py-2 pr-1">
      <Avatar id={requesterId} name={username ?? ''} picture={avatar} className="size-11" />
      <p id={nameId} className="min-w-0 flex-1">
        <bdi className="line-clamp-2 block min-h-5 text-base font-semibold wrap-anywhere">{username}</bdi>
        <span className="block text-sm text-muted-foreground">{copy.requests.wants}</span>
      </p>
      <Button size="icon" aria-describedby={nameId} disabled={isAnswered} onClick={() => answer('accepted')}>
        <Check aria-hidden="true" className="size-5" />
        <span className="sr-only">{copy.requests.accept}</span>
      </Button>
      <Button
        variant="secondary"
        size="icon"
        aria-describedby={nameId}
        disabled={isAnswered}
        onClick={() => answer('declined')}
      >
        <X aria-hidden="true" className="size-5" />
        <span className="sr-only">{copy.requests.decline}</span>
      </Button>
    </li>
  );
};

/** The empty list, with a drawing of an envelope. */
const NoRequests = () => (
  <EmptyState text={copy.requests.empty} height={64}>
    <path
      className="stroke-input"
      d="M20 22h56a6 6 0 0 1 6 6v26a6 6 0 0 1-6 6H20a6 6 0 0 1-6-6V28a6 6 0 0 1 6-6Z"
    />
    <path className="stroke-input" d="m16 25 27 19a9 9 0 0 0 10 0l27-19" />
    <circle className="fill-primary" cx="48" cy="9" r="5" />
  </EmptyState>
);

/** The friend requests that wait for the user's answer. */
export const FriendRequestsModal = ({ userId, onDismiss }: { userId: number; onDismiss: () => void }) => {
  const { data: requests, isError, refetch } = useFriendRequests(userId);
  const renderRequests = (): ReactNode => {
    if (!requests && isError)
      return <LoadError text={copy.requests.failed} onRetry={() => void refetch()} className="mt-4" />;
    if (!requests) return <ListSkeleton label={copy.requests.loading} className="mt-4" />;
    if (requests.length === 0) return <NoRequests />;
    return (
      <ul
        aria-label={copy.requests.label}
        className="-mx-2 mt-4 max-h-96 divide-y divide-border overflow-y-auto overscroll-contain px-2"
      >
        {requests.map((request) => (
          <RequestRow key={request.id} userId={userId} request={request} />
        ))}
      </ul>
    );
  };
  return (
    <Modal isOpen title={copy.requests.title} onDismiss={onDismiss}>
      {renderRequests()}
    </Modal>
  );
};
