import { type ChatHistoryEntry } from '@thaw/contract/http';
import { limits } from '@thaw/contract/limits';
import { useRef, useState, type ReactNode } from 'react';
import { formatAge } from '@/features/history/age';
import { sortNewestFirst, getPartnerId, useChatHistory } from '@/features/history/api/chat-history';
import { copy } from '@/features/history/copy';
import { type HistoryPartner } from '@/features/history/history-partner';
import { useWasSeen } from '@/lib/use-was-seen';
import { useProfile } from '@/product/profile-query';
import { Avatar } from '@/ui/avatar';
import { EmptyState } from '@/ui/empty-state';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';
import { Modal } from '@/ui/modal';

export interface ChatHistoryModalProps {
  userId: number;
  onDismiss: () => void;
  /** Renders the actions on a partner, such as Add Friend and Report. */
  renderActions?: (partner: HistoryPartner) => ReactNode;
}

interface EntryProps extends Pick<ChatHistoryModalProps, 'renderActions'> {
  entry: ChatHistoryEntry;
  partnerId: number;
  now: number;
}

const Entry = ({ entry, partnerId, now, renderActions }: EntryProps) => {
  const row = useRef<HTMLLIElement>(null);
  // Loads a profile only when its row is visible, instead of a hundred at once.
  const { username, avatar, isUnknown } = useProfile(partnerId, copy.placeholder, {
    isWanted: useWasSeen(row),
  });
  const nameId = `chat-${entry.id}`;
  const metAtMs = Date.parse(entry.createdAt);
  return (
    <li ref={row} className="flex min-h-15 items-center gap-3 py-2">
      <Avatar id={partnerId} name={username ?? ''} picture={avatar} />
      {/* The actions wrap below a name that leaves no room for them. */}
      <div className="flex min-w-0 flex-1 flex-wrap items-center justify-end gap-x-2">
        <div className="min-w-0 grow basis-28">
          <p id={nameId} className="min-h-5 text-base font-semibold">
            <bdi className="line-clamp-2 wrap-anywhere">{username}</bdi>
          </p>
          <p className="text-sm text-muted-foreground">
            <time dateTime={entry.createdAt}>{formatAge(metAtMs, now)}</time>
          </p>
        </div>
        {username === undefined ? null : (
          <div className="flex items-center gap-1">
            {renderActions?.({
              id: partnerId,
              username,
              nameId,
              // Friend requests are allowed if `mayBecomeFriends` is absent.
              allowsFriendRequest:
                now - metAtMs < limits.friendRequestWindowMs && entry.mayBecomeFriends !== false,
              historyId: entry.id,
              // `reportableUntil` is null until the chat ends.
              isReportable: entry.reportableUntil === null || now < Date.parse(entry.reportableUntil),
              isUnknown, // the profile could not be fetched
            })}
          </div>
        )}
      </div>
    </li>
  );
};

/** The empty list, with a drawing: two dashed circles for people who have left, a filled one for one who is there. */
const NoChats = () => (
  <EmptyState text={copy.empty} height={48}>
    <circle className="stroke-border" strokeDasharray="4 5" cx="14" cy="24" r="9" />
    <circle className="stroke-input" strokeDasharray="4 5" cx="44" cy="24" r="11" />
    <circle className="fill-primary" cx="78" cy="24" r="13" />
  </EmptyState>
);

/** Shows the user's past partners and how long ago they met, without transcripts (docs/product-decisions.md, A63). */
export const ChatHistoryModal = ({ userId, onDismiss, renderActions }: ChatHistoryModalProps) => {
  const { data: entries, isError, refetch } = useChatHistory(userId);
  // The ages do not change while the dialog is open.
  const [now] = useState(() => Date.now());
  return (
    <Modal isOpen title={copy.title} description={copy.lead} onDismiss={onDismiss}>
      {entries && entries.length > 0 ? (
        <ul aria-label={copy.label} className="mt-3 divide-y divide-border">
          {sortNewestFirst(entries).map((entry) => (
            <Entry
              key={entry.id}
              entry={entry}
              partnerId={getPartnerId(entry, userId)}
              now={now}
              {...(renderActions ? { renderActions } : {})}
            />
          ))}
        </ul>
      ) : entries ? (
        <NoChats />
      ) : isError ? (
        <LoadError text={copy.failed} onRetry={() => void refetch()} className="mt-4" />
      ) : (
        <ListSkeleton label={copy.loading} className="mt-4 gap-4" />
      )}
    </Modal>
  );
};
