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

/** Shows a moderators' notice in a dialog: an unread one when the page opens or it arrives, or one the user opens. */
export const NoticePlace = ({ user }: { user: SelfUser }) => {
  const { data: notices = [] } = useNotices(user.id);
  const dialog = useNoticeDialog();
  // A notice waits until other dialogs are closed, first of all the mandatory gender question (A166).
  const isBlocking = useBlockDialog(({ person }) => person !== null);
  const isReporting = useReportDialog(({ target }) => target !== null);
  const hasOtherDialog = user.gender === null || isBlocking || isReporting;
  useEffect(() => resetNoticeDialog, [user.id]);
  // The standing page itself shows these notices.
  const isShownByPage = ({ kind }: { kind: string }): boolean => kind === 'suspension' || kind === 'ban';
  const shownHere = isExcluded(user.standing) ? notices.filter((notice) => !isShownByPage(notice)) : notices;
  const notice = hasOtherDialog ? undefined : selectShownNotice(dialog, shownHere);
  return notice ? <NoticeDialog key={notice.id} userId={user.id} notice={notice} /> : null;
};
