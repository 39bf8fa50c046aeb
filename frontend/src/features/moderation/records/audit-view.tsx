import { type AuditEntry } from '@thaw/contract/moderation-records';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auditQuery } from '@/features/moderation/api/queries';
import { SelectField } from '@/features/moderation/components/form-fields';
import { MutedText } from '@/features/moderation/components/parts';
import { copy as shared } from '@/features/moderation/copy';
import { useModeratorName } from '@/features/moderation/hooks/use-moderator-name';
import { copy } from '@/features/moderation/records/copy';
import { RecordsHeading } from '@/features/moderation/records/records-heading';
import { formatMoment } from '@/features/moderation/spans';
import { Button } from '@/ui/button';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';

const texts = copy.audit;

const ModeratorName = ({ id }: { id: number }) => <bdi className="wrap-anywhere">{useModeratorName(id)}</bdi>;

const ModeratorOption = ({ id }: { id: number }) => <option value={id}>{useModeratorName(id)}</option>;

/** The case, the person and the image that an entry is about. */
const Subjects = ({ entry, onOpenCase }: { entry: AuditEntry; onOpenCase: (caseId: number) => void }) => {
  const { caseId, userId, imageId } = entry;
  return (
    <span className="flex flex-wrap gap-x-3">
      {caseId === null ? null : (
        <Button variant="link" className="h-auto px-0" onClick={() => onOpenCase(caseId)}>
          {texts.case(caseId)}
        </Button>
      )}
      {userId === null ? null : <span>{texts.person(userId)}</span>}
      {imageId === null ? null : <span>{texts.image(imageId)}</span>}
    </span>
  );
};

interface EntryListProps {
  entries: readonly AuditEntry[];
  onOpenCase: (caseId: number) => void;
}

const EntryList = ({ entries, onOpenCase }: EntryListProps) => {
  if (entries.length === 0) return <MutedText>{texts.empty}</MutedText>;
  return (
    <ol aria-label={texts.list} className="divide-y divide-border">
      {entries.map((entry) => (
        <li key={entry.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2.5 text-base">
          <time dateTime={entry.at} className="text-sm text-muted-foreground tabular-nums">
            {formatMoment(entry.at)}
          </time>
          <span className="font-semibold">
            <ModeratorName id={entry.moderatorId} />
          </span>
          <span>{texts.actions[entry.action]}</span>
          <Subjects entry={entry} onOpenCase={onOpenCase} />
        </li>
      ))}
    </ol>
  );
};

/**
 * The moderators to choose from: the signed-in one and those of all entries loaded so far. They remain when `entries`
 * changes to those of the chosen moderator.
 */
const useModeratorIds = (myId: number, entries: readonly AuditEntry[]): readonly number[] => {
  const [moderatorIds, setModeratorIds] = useState<readonly number[]>([myId]);
  const newIds = entries.map((entry) => entry.moderatorId).filter((id) => !moderatorIds.includes(id));
  // Set while rendering, so that React renders again with the new options at once.
  if (newIds.length > 0) setModeratorIds([...new Set([...moderatorIds, ...newIds])]);
  return moderatorIds;
};

/** Lists what all moderators, or a chosen one, have read and done, newest first. */
export const AuditView = ({ myId, onOpenCase }: { myId: number; onOpenCase: (caseId: number) => void }) => {
  const [moderatorId, setModeratorId] = useState<number | null>(null);
  const query = useInfiniteQuery(auditQuery(moderatorId));
  const entries = query.data?.pages.flatMap((page) => page.entries);
  const moderatorIds = useModeratorIds(myId, entries ?? []);
  return (
    <>
      <RecordsHeading title={texts.title} lead={texts.lead} />
      <div className="max-w-sm">
        <SelectField
          label={texts.moderator}
          value={moderatorId ?? ''}
          onChange={({ target }) => setModeratorId(target.value === '' ? null : Number(target.value))}
        >
          <option value="">{texts.allModerators}</option>
          {moderatorIds.map((id) => (
            <ModeratorOption key={id} id={id} />
          ))}
        </SelectField>
      </div>
      {entries ? (
        <EntryList entries={entries} onOpenCase={onOpenCase} />
      ) : query.isError ? (
        <LoadError text={shared.failed} onRetry={() => void query.refetch()} />
      ) : (
        <ListSkeleton label={shared.loading} />
      )}
      {query.hasNextPage ? (
        <Button
          variant="secondary"
          className="w-fit"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {texts.showOlder}
        </Button>
      ) : null}
    </>
  );
};
