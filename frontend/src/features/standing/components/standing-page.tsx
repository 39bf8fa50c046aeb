import { type Notice, type Standing } from '@thaw/contract/safety';
import { type SelfUser } from '@thaw/contract/users';
import { LogOut } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { useNotices } from '@/features/standing/api/notices';
import { AppealPart } from '@/features/standing/components/appeal-part';
import { copy } from '@/features/standing/copy';
import { useMarkSeen } from '@/features/standing/hooks/use-notice-updates';
import { useDocumentTitle } from '@/product/document-title';
import { Logo } from '@/product/logo';
import { NoticeBody } from '@/product/notice/notice-body';
import { TwoDots } from '@/product/two-dots';
import { Button } from '@/ui/button';
import { Delayed } from '@/ui/delayed';
import { Link } from '@/ui/link';
import { LoadError } from '@/ui/load-error';
import { Skeleton } from '@/ui/skeleton';

/** How often the notices are loaded again: a suspended or banned user has no socket that would push changes. */
const refetchNoticesEveryMs = 60_000;

/**
 * Finds the notice with the reason for the standing or, if the list does not contain it, the newest notice about such a
 * standing.
 * @param notices  newest first
 */
const findNotice = (standing: Standing, notices: readonly Notice[]): Notice | undefined => {
  const noticeKind = standing.kind === 'banned' ? 'ban' : 'suspension';
  return (
    notices.find(({ id }) => id === standing.noticeId) ?? notices.find(({ kind }) => kind === noticeKind)
  );
};

interface StandingNoticeProps {
  userId: number;
  notice: Notice;
  /** Further actions, after Appeal. */
  children: ReactNode;
}

const StandingNotice = ({ userId, notice, children }: StandingNoticeProps) => {
  const markSeen = useMarkSeen(userId);
  const isUnseen = notice.seenAt === null;
  // This page has shown the notice, so it counts as seen: no dialog needs to show it later.
  useEffect(() => {
    if (isUnseen) markSeen(notice);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each notice, however often it is refetched
  }, [notice.id]);
  return (
    <>
      <NoticeBody notice={notice} />
      <AppealPart userId={userId} notice={notice} isAppealPrimary>
        {children}
      </AppealPart>
    </>
  );
};

interface LogoutButtonProps {
  variant: 'ghost' | 'outline';
  onLogout: () => void;
}

const LogoutButton = ({ variant, onLogout }: LogoutButtonProps) => (
  <Button variant={variant} onClick={onLogout}>
    <LogOut aria-hidden="true" />
    {copy.page.logout}
  </Button>
);

export interface StandingPageProps {
  user: SelfUser;
  onLogout: () => void;
  /** Buttons to download the user's data and to delete the account. */
  myDataButtons?: ReactNode;
}

/** Shown in place of the product to a suspended or banned user: why, until when, and how to appeal. */
export const StandingPage = ({ user: { id, standing }, onLogout, myDataButtons }: StandingPageProps) => {
  const { data: notices, isError, refetch } = useNotices(id, { refetchEveryMs: refetchNoticesEveryMs });
  const heading = useRef<HTMLHeadingElement>(null);
  const notice = notices && findNotice(standing, notices);
  const title = copy.page.titles[standing.kind === 'banned' ? 'banned' : 'suspended'];
  const actions = (
    <>
      {myDataButtons}
      <LogoutButton variant="outline" onLogout={onLogout} />
    </>
  );
  useDocumentTitle(title);
  // This page replaces the element that had the focus.
  useEffect(() => heading.current?.focus(), []);

  const renderNotice = (): ReactNode => {
    if (notice)
      return (
        <StandingNotice userId={id} notice={notice}>
          {actions}
        </StandingNotice>
      );
    if (isError) return <LoadError text={copy.page.failed} onRetry={() => void refetch()} />;
    // The notices are loaded, but none of them explains the standing.
    if (notices) return <div className="flex flex-wrap gap-3">{actions}</div>;
    return (
      <Delayed>
        <Skeleton label={copy.page.loading} bars={['h-6', 'h-6 w-2/3', 'h-11 w-1/2']} />
      </Delayed>
    );
  };

  return (
    <>
      <header className="flex h-16 shrink-0 items-center justify-between gap-2 px-4 md:px-6">
        <Link to="/" className="-m-2 rounded-control p-2">
          <Logo />
        </Link>
        <LogoutButton variant="ghost" onLogout={onLogout} />
      </header>
      <main className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain md:p-4 md:pt-0">
        <div className="flex flex-1 flex-col bg-card md:rounded-sheet md:shadow-elevated">
          <div className="m-auto w-full max-w-md px-6 py-8">
            {/* The motif of the product: here, its two dots have drifted apart. */}
            <TwoDots state="parted" />
            <h1 ref={heading} tabIndex={-1} className="mt-6 text-2xl font-bold outline-none">
              {title}
            </h1>
            <div className="mt-4">{renderNotice()}</div>
          </div>
        </div>
      </main>
    </>
  );
};
