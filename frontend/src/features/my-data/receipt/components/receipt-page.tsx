import { useEffect, useRef, useState, type ReactNode } from 'react';
import { isReceiptId, useReceipt } from '@/features/my-data/receipt/api/receipts';
import { CheckReceipt } from '@/features/my-data/receipt/components/check-receipt';
import { OpenReceipt } from '@/features/my-data/receipt/components/open-receipt';
import {
  ReceiptDetails,
  type RemainingDataProps,
} from '@/features/my-data/receipt/components/receipt-details';
import { copy } from '@/features/my-data/receipt/copy';
import { downloadReceipt, type ReceiptFile } from '@/features/my-data/receipt/receipt-file';
import { readContent } from '@/features/my-data/receipt/verify-receipt';
import { ApiError } from '@/lib/api-client';
import { getServerNow } from '@/lib/server-clock';
import { formatExactTime } from '@/lib/time';
import { useDocumentTitle } from '@/product/document-title';
import { Logo } from '@/product/logo';
import { TwoDots, type DotsState } from '@/product/two-dots';
import { Button } from '@/ui/button';
import { Delayed } from '@/ui/delayed';
import { Link } from '@/ui/link';
import { LoadError } from '@/ui/load-error';
import { Skeleton } from '@/ui/skeleton';

// A receipt is a signed statement of the server about the deletion of an account: what was erased, and what was kept.

/** After this time the page says that the deletion takes longer than usual. */
const lateAfterMs = 60_000;

interface FrameProps {
  title: string;
  /**
   * State of the two decorative dots: `seeking` while a deletion runs, `parted` when it is over or unknown, `resting`
   * until the user opens a file.
   */
  dots: DotsState;
  children: ReactNode;
}

/**
 * A state of the page, with its heading. The heading gets the focus, because the focused element may have been removed
 * with the state before.
 */
const Frame = ({ title, dots, children }: FrameProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useDocumentTitle(title);
  useEffect(() => heading.current?.focus(), [title]);
  return (
    <>
      <TwoDots state={dots} />
      <h1 ref={heading} tabIndex={-1} className="mt-6 text-2xl font-bold outline-none">
        {title}
      </h1>
      {children}
    </>
  );
};

/** A state of the page without a heading of its own. */
const Untitled = ({ children }: { children: ReactNode }) => {
  useDocumentTitle(copy.documentTitle);
  return children;
};

interface RunningDeletionProps {
  requestedAt: string;
  /** Whether the last request for the state of the deletion has failed. */
  isUnreachable: boolean;
}

/** The page while the deletion is running. */
const RunningDeletion = ({ requestedAt, isUnreachable }: RunningDeletionProps) => {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), Date.parse(requestedAt) + lateAfterMs - getServerNow());
    return () => clearTimeout(timer);
  }, [requestedAt]);
  const advice = isLate ? copy.running.late : copy.running.stay;
  return (
    <Frame title={copy.running.title} dots="seeking">
      <p className="mt-2 text-md text-muted-foreground">{copy.running.lead}</p>
      <div
        role="progressbar"
        aria-label={copy.running.progress}
        className="mt-6 h-1.5 overflow-hidden rounded-full bg-raised"
      >
        <div className="mx-auto h-full w-1/3 animate-pulse rounded-full bg-primary" />
      </div>
      <p role="status" className="mt-4 text-base">
        {isUnreachable ? copy.running.unreachable : advice}
      </p>
    </Frame>
  );
};

interface ReceiptActionsProps {
  file: ReceiptFile;
  receiptId: string;
}

const ReceiptActions = ({ file, receiptId }: ReceiptActionsProps) => (
  <div className="mt-6 flex flex-wrap gap-3">
    <Button onClick={() => downloadReceipt(file)}>{copy.download}</Button>
    <CheckReceipt file={file} receiptId={receiptId} />
  </div>
);

interface FinishedDeletionProps {
  file: ReceiptFile;
  receiptId: string;
  /** The server's count of what is still stored; null if the server does not know the receipt. */
  remaining: RemainingDataProps | null;
}

/** The receipt of a finished deletion. */
const FinishedDeletion = ({ file, receiptId, remaining }: FinishedDeletionProps) => {
  const { content } = file;
  // An anonymous account is deleted when it is not used.
  const wasInactive = content.reason === 'inactive';
  return (
    <Frame title={wasInactive ? copy.done.titleOfInactive : copy.done.title} dots="parted">
      {wasInactive ? <p className="mt-2 text-md text-muted-foreground">{copy.done.leadOfInactive}</p> : null}
      <p className="mt-2 text-base text-muted-foreground">
        {copy.done.finished(formatExactTime(Date.parse(content.finishedAt)))}
      </p>
      <ReceiptActions file={file} receiptId={receiptId} />
      <ReceiptDetails content={content} remaining={remaining} />
    </Frame>
  );
};

const UnknownReceipt = () => (
  <Frame title={copy.unknown.title} dots="parted">
    <p className="mt-2 text-md text-muted-foreground">{copy.unknown.lead}</p>
  </Frame>
);

/** The file of a receipt that the server has sent; null if there is no receipt yet, or an unreadable one. */
const toFile = (receipt: string | null | undefined): ReceiptFile | null => {
  const content = receipt ? readContent(receipt) : null;
  return receipt && content ? { receipt, content } : null;
};

interface LoadedReceiptProps {
  receiptId: string;
  /** The file that the user has opened, if any. */
  openedFile?: ReceiptFile;
}

/** The receipt of the server or of the opened file, with the server's count of what is still stored. */
const LoadedReceipt = ({ receiptId, openedFile }: LoadedReceiptProps) => {
  const { data, error, isError, isFetching, refetch } = useReceipt(receiptId);
  const reload = (): void => void refetch();
  // Also for an opened file: after the end of a legal hold, a finished deletion runs again.
  if (data?.state === 'running') {
    return <RunningDeletion requestedAt={data.requestedAt} isUnreachable={isError} />;
  }
  const isUnknown = error instanceof ApiError && error.status === 404;
  const file = openedFile ?? toFile(data?.receipt);
  // An opened file is shown even if the server does not know it, but not if the server could not be asked.
  if (file && (data || isUnknown)) {
    const remaining = data
      ? { counts: data.remaining, countedAt: data.countedAt, isCounting: isFetching, onCountAgain: reload }
      : null;
    return <FinishedDeletion file={file} receiptId={receiptId} remaining={remaining} />;
  }
  if (isUnknown) return <UnknownReceipt />;
  if (data || isError) {
    // With data, the server has sent a receipt that `readContent` cannot read.
    return (
      <Untitled>
        <LoadError text={data ? copy.unreadable : copy.failed} onRetry={reload} />
      </Untitled>
    );
  }
  return (
    <Untitled>
      <Delayed>
        <Skeleton label={copy.loading} bars={['h-8 w-2/3', 'h-6', 'h-6']} />
      </Delayed>
    </Untitled>
  );
};

const ReceiptFromFile = () => {
  const [file, setFile] = useState<ReceiptFile>();
  if (file) return <LoadedReceipt receiptId={file.content.receiptId} openedFile={file} />;
  return (
    <Frame title={copy.fromFile.title} dots="resting">
      <OpenReceipt onOpen={setFile} />
    </Frame>
  );
};

const PageContent = ({ receiptId }: { receiptId: string | null }) => {
  if (receiptId === null) return <ReceiptFromFile />;
  if (!isReceiptId(receiptId)) return <UnknownReceipt />;
  return <LoadedReceipt key={receiptId} receiptId={receiptId} />;
};

/** The page of a receipt. Without an id in the address, the user can open a receipt that they downloaded. */
export const ReceiptPage = ({ receiptId }: { receiptId: string | null }) => (
  <>
    <header className="flex h-16 items-center px-4 md:px-6">
      <Link to="/" className="-m-2 rounded-control p-2">
        <Logo />
      </Link>
    </header>
    <main className="mx-auto w-full max-w-md px-6 py-8">
      <PageContent receiptId={receiptId} />
    </main>
  </>
);
