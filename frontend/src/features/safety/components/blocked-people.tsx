import { useState } from 'react';
import { type BlockedUser } from '@thaw/contract/safety';
import { useBlocks } from '@/features/safety/api/blocks';
import { formatBlockedDate } from '@/features/safety/blocked-date';
import { copy } from '@/features/safety/copy';
import { useUnblock } from '@/features/safety/hooks/use-unblock';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';
import { Modal } from '@/ui/modal';

interface BlockedPersonProps {
  /** The user who has blocked the person. */
  userId: number;
  person: BlockedUser;
  /** The present time, in ms since the epoch. */
  now: number;
}

const BlockedPerson = ({ userId, person, now }: BlockedPersonProps) => {
  const { isPending, unblock } = useUnblock(userId, person.blockedId);
  const nameId = `blocked-${person.blockedId}`;
  return (
    // `content-visibility`: rows out of sight are not laid out, because there may be 2,000 (`limits.blockedUsersMax`).
    <li className="flex min-h-15 items-center gap-3 py-2 [contain-intrinsic-size:auto_60px] [content-visibility:auto]">
      <Avatar id={person.blockedId} name={person.username} picture={person.avatar} />
      <div className="min-w-0 flex-1">
        <p id={nameId} className="min-h-5 text-base font-semibold">
          <bdi className="line-clamp-2 wrap-anywhere">{person.username}</bdi>
        </p>
        <p className="text-sm text-muted-foreground">
          <time dateTime={person.createdAt}>
            {copy.people.blockedOn(formatBlockedDate(Date.parse(person.createdAt), now))}
          </time>
        </p>
      </div>
      <Button variant="secondary" size="sm" aria-describedby={nameId} disabled={isPending} onClick={unblock}>
        {copy.unblock.item}
      </Button>
    </li>
  );
};

/** Shown in place of an empty list. The drawing is an empty avatar, crossed out. */
const NoBlockedPeople = () => (
  <EmptyState text={copy.people.empty} height={48}>
    <circle className="stroke-input" strokeDasharray="4 5" cx="48" cy="24" r="19" />
    <path className="stroke-primary" d="m35 37 26-26" />
  </EmptyState>
);

const BlockedPeopleContent = ({ userId }: { userId: number }) => {
  const { data: people, isError, refetch } = useBlocks(userId);
  const [now] = useState(() => Date.now());
  if (!people && isError)
    return <LoadError text={copy.people.failed} onRetry={() => void refetch()} className="mt-4" />;
  if (!people) return <ListSkeleton label={copy.people.loading} className="mt-4 gap-4" />;
  if (people.length === 0) return <NoBlockedPeople />;
  return (
    <ul aria-label={copy.people.title} className="mt-3 divide-y divide-border">
      {people.map((person) => (
        <BlockedPerson key={person.blockedId} userId={userId} person={person} now={now} />
      ))}
    </ul>
  );
};

/** The dialog with the people whom the user has blocked, newest first. */
export const BlockedPeople = ({ userId, onDismiss }: { userId: number; onDismiss: () => void }) => (
  <Modal isOpen title={copy.people.title} onDismiss={onDismiss}>
    <BlockedPeopleContent userId={userId} />
  </Modal>
);
