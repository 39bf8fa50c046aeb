import { type SelfUser } from '@thaw/contract/users';
import { copy } from '@/app/copy';
import { useNotices } from '@/features/standing/api/notices';
import { useNoticeDialog } from '@/features/standing/stores/notice-dialog.store';
import { Delayed } from '@/ui/delayed';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { Skeleton } from '@/ui/skeleton';

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
  if (!isOpenedByUser && notices.every(({ seenAt }) => seenAt !== null)) return null;
  // After a failed load, there is no button to retry: a change of the standing retries.
  return (
    <LoadedPart part={noticesPart} renderFailure={() => null} resetKeys={[user.standing]}>
      {(NoticePlace) => <NoticePlace user={user} />}
    </LoadedPart>
  );
};

/**
 * The line about the user's standing (the state set by moderation), shown before a search: to a user in care, who is
 * matched only with others in care, and to a user who has to answer the age question before they can search.
 */
export const StandingNote = ({ user }: { user: SelfUser }) =>
  user.standing.kind === 'care' || user.standing.kind === 'age_question' ? (
    <LoadedPart part={standingLinePart} renderFailure={() => null}>
      {(StandingLine) => <StandingLine user={user} />}
    </LoadedPart>
  ) : null;

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
