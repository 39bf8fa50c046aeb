import { type SelfUser } from '@thaw/contract/users';
import { copy } from '@/app/copy';
import { useNotices } from '@/features/standing/api/notices';
import { useNoticeDialog } from '@/features/standing/stores/notice-dialog.store';
import { Delayed } from '@/ui/delayed';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { Skeleton } from '@/ui/skeleton';

// A part is a component whose code is loaded on demand. A `...Place` component renders a part in the shell.

const noticesPart = createPart(async () => (await import('@/app/shell/notice-place')).NoticePlace);
const standingLinePart = createPart(
  async () => (await import('@/features/standing/components/standing-line')).StandingLine,
);
/** Preloaded by /chat, because the user may be suspended at any time. */
export const standingPagePart = createPart(
  async () => (await import('@/app/shell/standing-page-place')).StandingPagePlace,
);
export const noticesButtonPart = createPart(
  async () => (await import('@/features/standing/components/notices-list')).NoticesButton,
);

/** The dialog of the moderators' notices to the user. Loaded on demand, because most users have no unread notice. */
export const Notices = ({ user }: { user: SelfUser }) => {
  const { data: notices = [] } = useNotices(user.id);
  const isOpenedByUser = useNoticeDialog(({ openedId }) => openedId !== null);
  const hasUnread = notices.some(({ seenAt }) => seenAt === null);
  if (!isOpenedByUser && !hasUnread) return null;
  // After a failed load, there is no button to retry: a change of the standing retries (`resetKeys`).
  return (
    <LoadedPart part={noticesPart} renderFailure={() => null} resetKeys={[user.standing]}>
      {(NoticePlace) => <NoticePlace user={user} />}
    </LoadedPart>
  );
};

/**
 * The line that explains before a search how the user's standing (the state set by moderation) restricts it. In care,
 * the user is matched only with others in care. With an age question, they have to answer it first.
 */
export const StandingLinePlace = ({ user }: { user: SelfUser }) => {
  const { kind } = user.standing;
  const isSearchRestricted = kind === 'care' || kind === 'age_question';
  if (!isSearchRestricted) return null;
  return (
    <LoadedPart part={standingLinePart} renderFailure={() => null}>
      {(StandingLine) => <StandingLine user={user} />}
    </LoadedPart>
  );
};

/** The button in Profile Settings that lists the notices. */
export const SettingsNoticesButton = ({ userId }: { userId: number }) => (
  <LoadedPart
    part={noticesButtonPart}
    renderFailure={({ retry }) => <LoadError text={copy.brokenPart.title} onRetry={retry} />}
  >
    {(NoticesButton) => <NoticesButton userId={userId} />}
  </LoadedPart>
);

/** The page of a user whose account is paused or closed. */
export const AccountPausedPage = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => (
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
    renderFailure={({ retry }) => <LoadError text={copy.brokenPart.title} onRetry={retry} isCentered />}
  >
    {(StandingPagePlace) => <StandingPagePlace user={user} onLogout={onLogout} />}
  </LoadedPart>
);
