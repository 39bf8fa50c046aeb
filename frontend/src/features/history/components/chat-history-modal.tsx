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

type RenderActions = (partner: HistoryPartner) => ReactNode;

export interface ChatHistoryModalProps {
  /** Id of the signed-in user. */
  userId: number;
  onDismiss: () => void;
  /** Renders the actions on a partner, such as Add Friend and Report. */
  renderActions?: RenderActions;
}

interface EntryProps {
  entry: ChatHistoryEntry;
  partnerId: number;
  nowMs: number;
  renderActions: RenderActions | undefined;
}

const Entry = ({ entry, partnerId, nowMs, renderActions }: EntryProps) => {
  const row = useRef<HTMLLIElement>(null);
  // Loads a profile only when its row is visible, instead of a hundred at once.
  const isWanted = useWasSeen(row);
  const { username, avatar, isUnknown } = useProfile(partnerId, copy.placeholder, { isWanted });
  const nameId = `chat-${entry.id}`;
  const metAtMs = Date.parse(entry.createdAt);
  const isRecent = nowMs - metAtMs < limits.friendRequestWindowMs;
  // `reportableUntil` is null until the chat ends.
  const isReportable = entry.reportableUntil === null || nowMs < Date.parse(entry.reportableUntil);
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
            <time dateTime={entry.createdAt}>{formatAge(metAtMs, nowMs)}</time>
          </p>
        </div>
        {username === undefined ? null : (
          <div className="flex items-center gap-1">
            {renderActions?.({
              id: partnerId,
              username,
              nameId,
              // Friend requests are also allowed if `mayBecomeFriends` is absent.
              allowsFriendRequest: isRecent && entry.mayBecomeFriends !== false,
              historyId: entry.id,
              isReportable,
              isUnknown,
            })}
          </div>
        )}
      </div>
    </li>
  );
};

/** The empty list. In its drawing, dashed circles are people who have left; the filled one is still there. */
const NoChats = () => (
  <EmptyState text={copy.empty} height={48}>
    <circle className="stroke-border" strokeDasharray="4 5" cx="14" cy="24" r="9" />
    <circle className="stroke-input" strokeDasharray="4 5" cx="44" cy="24" r="11" />
    <circle className="fill-primary" cx="78" cy="24" r="13" />
  </EmptyState>
);

const EntryList = ({
  entries,
  userId,
  nowMs,
  renderActions,
}: {
  entries: readonly ChatHistoryEntry[];
  userId: number;
  nowMs: number;
  renderActions: RenderActions | undefined;
}) => {
  if (entries.length === 0) return <NoChats />;
  return (
    <ul aria-label={copy.label} className="mt-3 divide-y divide-border">
      {sortNewestFirst(entries).map((entry) => (
        <Entry
          key={entry.id}
          entry={entry}
          partnerId={getPartnerId(entry, userId)}
          nowMs={nowMs}
          renderActions={renderActions}
        />
      ))}
    </ul>
  );
};

/** Shows the user's past partners and how long ago they met, without transcripts (docs/product-decisions.md, A63). */
export const ChatHistoryModal = ({ userId, onDismiss, renderActions }: ChatHistoryModalProps) => {
  const { data: entries, isError, refetch } = useChatHistory(userId);
  // Fixed, so that the ages and actions do not change while the modal is open.
  const [nowMs] = useState(() => Date.now());
  return (
    <Modal isOpen title={copy.title} description={copy.lead} onDismiss={onDismiss}>
      {entries ? (
        <EntryList entries={entries} userId={userId} nowMs={nowMs} renderActions={renderActions} />
      ) : isError ? (
        <LoadError text={copy.failed} onRetry={() => void refetch()} className="mt-4" />
      ) : (
        <ListSkeleton label={copy.loading} className="mt-4 gap-4" />
      )}
    </Modal>
  );
};
