import { isExcluded } from '@thaw/contract/safety';
import { type SelfUser } from '@thaw/contract/users';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { copy } from '@/app/copy';
import { BrokenModal } from '@/app/shell/lazy-modal';
import { useBlockDialog } from '@/features/safety/stores/block-dialog.store';
import { useReportDialog } from '@/features/safety/stores/report-dialog.store';
import { useNotices } from '@/features/standing/api/notices';
import {
  closeNotice,
  resetNoticeDialog,
  selectShownNotice,
  useNoticeDialog,
} from '@/features/standing/stores/notice-dialog.store';
import { Delayed } from '@/ui/delayed';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { Skeleton } from '@/ui/skeleton';

const standingPagePart = createPart(
  async () => (await import('@/features/standing/components/standing-page')).StandingPage,
);
const noticeDialogPart = createPart(
  async () => (await import('@/features/standing/components/notice-dialog')).NoticeDialog,
);
const standingLinePart = createPart(
  async () => (await import('@/features/standing/components/standing-line')).StandingLine,
);
export const noticesButtonPart = createPart(
  async () => (await import('@/features/standing/components/notices-list')).NoticesButton,
);

/** Preloaded, because a suspension may come at any time. */
export const standingParts = [standingPagePart, noticeDialogPart];

/** The dialog of a notice: on arrival, when one arrives, and when the user opens one. */
export const NoticePlace = ({ user }: { user: SelfUser }) => {
  const isOut = isExcluded(user.standing);
  const { data: notices } = useNotices(user.id);
  const dialog = useNoticeDialog();
  // A new notice waits for the answer to an open question; the mandatory one for the gender comes first (A166).
  const isAsking = useBlockDialog(({ person }) => person !== null);
  const isReporting = useReportDialog(({ target }) => target !== null);
  const isHeld = user.gender === null || isAsking || isReporting;
  useEffect(() => resetNoticeDialog, [user.id]);
  const notice = selectShownNotice(
    dialog,
    // The standing page shows these itself.
    notices?.filter(({ kind }) => !isOut || (kind !== 'suspension' && kind !== 'ban')) ?? [],
  );
  if (!notice || isHeld) return null;
  return (
    <LoadedPart
      part={noticeDialogPart}
      broken={({ retry }) => <BrokenModal retry={retry} onDismiss={() => closeNotice(notice.id)} />}
    >
      {(NoticeDialog) => <NoticeDialog key={notice.id} userId={user.id} notice={notice} />}
    </LoadedPart>
  );
};

/** The line about the user's standing on the initial stage. */
export const StandingLinePlace = ({ user }: { user: SelfUser }) =>
  user.standing.kind === 'care' || user.standing.kind === 'age_question' ? (
    <LoadedPart part={standingLinePart} broken={() => null}>
      {(StandingLine) => <StandingLine user={user} />}
    </LoadedPart>
  ) : null;

/** The button in Profile Settings that lists the notices. */
export const NoticesButtonPlace = ({ userId }: { userId: number }) => (
  <LoadedPart
    part={noticesButtonPart}
    broken={({ retry }) => <LoadError text={copy.brokenPart.title} onRetry={retry} />}
  >
    {(NoticesButton) => <NoticesButton userId={userId} />}
  </LoadedPart>
);

/** What a user whose account is paused or closed sees in place of the product. */
export const StandingPlace = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => {
  const { search } = useLocation();
  const navigate = useNavigate();
  // What was open is closed, and stays closed when the user is back.
  useEffect(() => {
    if (search !== '') void navigate('/chat', { replace: true });
  }, [search, navigate]);
  return (
    <>
      <LoadedPart
        part={standingPagePart}
        pending={
          <Delayed>
            <Skeleton
              label={copy.loading}
              bars={['h-8 w-2/3', 'h-6', 'h-6']}
              className="m-auto w-full max-w-md p-6"
            />
          </Delayed>
        }
        broken={({ retry }) => <LoadError text={copy.brokenPart.title} onRetry={retry} isCentered />}
      >
        {(StandingPage) => <StandingPage user={user} onLogout={onLogout} />}
      </LoadedPart>
      <NoticePlace user={user} />
    </>
  );
};
