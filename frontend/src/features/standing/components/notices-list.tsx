import { type Notice } from '@thaw/contract/safety';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { useNotices } from '@/features/standing/api/notices';
import { copy } from '@/features/standing/copy';
import { openNotice } from '@/features/standing/stores/notice-dialog.store';
import { formatTime } from '@/lib/time';
import { getNoticeTitle, listParagraphs } from '@/product/notice/notice-text';
import { Button } from '@/ui/button';
import { EmptyState } from '@/ui/empty-state';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';
import { Modal } from '@/ui/modal';

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const Row = ({ notice }: { notice: Notice }) => (
  <li>
    <button
      type="button"
      aria-haspopup="dialog"
      className="-mx-2 flex min-h-15 w-[calc(100%+1rem)] items-center gap-3 rounded-control px-2 py-2 text-left transition-colors hover:bg-raised"
      onClick={() => openNotice(notice.id)}
    >
      <span className="min-w-0 flex-1">
        <span className="block text-base font-semibold">{getNoticeTitle(notice)}</span>
        <span className="block truncate text-base">{listParagraphs(notice)[0]}</span>
        <time dateTime={notice.createdAt} className="block text-sm text-muted-foreground">
          {formatTime(dateFormat, Date.parse(notice.createdAt))}
        </time>
      </span>
      {notice.seenAt === null ? (
        <span className="text-sm font-semibold text-primary">{copy.list.unseen}</span>
      ) : null}
      <ChevronRight aria-hidden="true" className="size-5 shrink-0 text-muted-foreground" />
    </button>
  </li>
);

/** Shown in place of an empty list. The picture is an almost empty sheet of paper. */
const NoNotices = () => (
  <EmptyState text={copy.list.empty} height={48}>
    <rect className="stroke-input" strokeDasharray="4 5" x="31" y="4" width="34" height="40" rx="6" />
    <path className="stroke-primary" d="M39 15h10" />
  </EmptyState>
);

interface ListContentProps {
  /** Undefined until the notices are loaded. */
  notices: readonly Notice[] | undefined;
  isError: boolean;
  onRetry: () => void;
}

const ListContent = ({ notices, isError, onRetry }: ListContentProps) => {
  if (notices?.length === 0) return <NoNotices />;
  if (notices)
    return (
      <ul aria-label={copy.list.title} className="mt-3 divide-y divide-border">
        {notices.map((notice) => (
          <Row key={notice.id} notice={notice} />
        ))}
      </ul>
    );
  if (isError) return <LoadError text={copy.list.failed} onRetry={onRetry} className="mt-4" />;
  return <ListSkeleton label={copy.list.loading} className="mt-4 gap-4" />;
};

const NoticesList = ({ userId, onDismiss }: { userId: number; onDismiss: () => void }) => {
  const { data: notices, isError, refetch } = useNotices(userId);
  return (
    <Modal isOpen title={copy.list.title} onDismiss={onDismiss}>
      <ListContent notices={notices} isError={isError} onRetry={() => void refetch()} />
    </Modal>
  );
};

/** The button in Profile Settings that opens the list of notices. */
export const NoticesButton = ({ userId }: { userId: number }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="outline" aria-haspopup="dialog" className="w-full" onClick={() => setOpen(true)}>
        <span className="flex-1 text-left">{copy.list.title}</span>
        <ChevronRight aria-hidden="true" className="text-muted-foreground" />
      </Button>
      {isOpen ? <NoticesList userId={userId} onDismiss={() => setOpen(false)} /> : null}
    </>
  );
};
