import { isExcluded } from '@thaw/contract/standing';
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

/** Shows one of the moderators' notices in a dialog: the one that the user has opened, else the newest unread one. */
export const NoticePlace = ({ user }: { user: SelfUser }) => {
  const { data: notices = [] } = useNotices(user.id);
  const dialog = useNoticeDialog();
  // A notice waits until other dialogs are closed, first of all the mandatory gender question
  // (docs/product-decisions.md, A166).
  const isBlocking = useBlockDialog(({ person }) => person !== null);
  const isReporting = useReportDialog(({ target }) => target !== null);
  const hasOtherDialog = user.gender === null || isBlocking || isReporting;
  // The next user of this page must not see the dialog of the previous one.
  useEffect(() => resetNoticeDialog, [user.id]);
  // While the account is paused or closed, the page itself shows the notice about that.
  const isShownByPage = ({ kind }: { kind: string }): boolean => kind === 'suspension' || kind === 'ban';
  const dialogNotices = isExcluded(user.standing)
    ? notices.filter((notice) => !isShownByPage(notice))
    : notices;
  const notice = hasOtherDialog ? undefined : selectShownNotice(dialog, dialogNotices);
  return notice ? <NoticeDialog key={notice.id} userId={user.id} notice={notice} /> : null;
};
