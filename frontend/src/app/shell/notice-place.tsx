import { isExcluded, type Notice } from '@thaw/contract/standing';
import { type SelfUser } from '@thaw/contract/users';
import { useEffect } from 'react';
import { useBlockDialog } from '@/features/safety/stores/block-dialog.store';
import { useReportDialog } from '@/features/safety/stores/report-dialog.store';
import { useNotices } from '@/features/standing/api/notices';
import { NoticeDialog } from '@/features/standing/components/notice-dialog';
import {
  resetNoticeDialog,
  selectShownNotice,
  useNoticeDialog,
} from '@/features/standing/stores/notice-dialog.store';

const isExclusion = ({ kind }: Notice): boolean => kind === 'suspension' || kind === 'ban';

/** Shows one of the moderators' notices in a dialog: the one that the user has opened, else the newest unread one. */
export const NoticePlace = ({ user }: { user: SelfUser }) => {
  const { data: notices = [] } = useNotices(user.id);
  const dialog = useNoticeDialog();
  // A notice waits until other dialogs are closed. The mandatory gender question comes before all others
  // (docs/product-decisions.md, A166).
  const mustChooseGender = user.gender === null;
  const isBlocking = useBlockDialog(({ person }) => person !== null);
  const isReporting = useReportDialog(({ target }) => target !== null);
  const hasOtherDialog = mustChooseGender || isBlocking || isReporting;
  // Closes the dialog when the user changes: the next user must not see a notice of the previous one.
  useEffect(() => {
    return () => resetNoticeDialog();
  }, [user.id]);
  // While a user is excluded (suspended or banned), the page itself shows the notice of the exclusion.
  const dialogNotices = isExcluded(user.standing)
    ? notices.filter((notice) => !isExclusion(notice))
    : notices;
  const notice = hasOtherDialog ? undefined : selectShownNotice(dialog, dialogNotices);
  return notice ? <NoticeDialog key={notice.id} userId={user.id} notice={notice} /> : null;
};
