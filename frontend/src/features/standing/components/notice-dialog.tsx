import { type Notice } from '@thaw/contract/safety';
import { AppealPart } from '@/features/standing/components/appeal-part';
import { copy } from '@/features/standing/copy';
import { useAgeAnswer, useMarkSeen } from '@/features/standing/hooks/use-notice-updates';
import { closeNotice } from '@/features/standing/stores/notice-dialog.store';
import { useIdentity } from '@/product/identity';
import { NoticeBody } from '@/product/notice/notice-body';
import { getNoticeTitle } from '@/product/notice/notice-text';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';

export interface NoticeDialogProps {
  userId: number;
  notice: Notice;
}

const AgeQuestion = ({ userId, notice }: NoticeDialogProps) => {
  const { isPending, answer } = useAgeAnswer(userId, notice);
  return (
    <div className="mt-6 flex flex-wrap gap-3">
      {/* Two buttons answer 'adult': 'That was not my age' takes back a stated age below 18. */}
      <Button disabled={isPending} onClick={() => answer('adult')}>
        {copy.notice.notMyAge}
      </Button>
      <Button variant="outline" disabled={isPending} onClick={() => answer('adult')}>
        {copy.notice.adult}
      </Button>
      <Button variant="outline" disabled={isPending} onClick={() => answer('minor')}>
        {copy.notice.minor}
      </Button>
    </div>
  );
};

/** Shows a notice: a message about a moderation decision that concerns the user, or a question about their age. */
export const NoticeDialog = ({ userId, notice }: NoticeDialogProps) => {
  const markSeen = useMarkSeen(userId);
  const close = (): void => closeNotice(notice.id);
  const mustAnswer = useIdentity(({ user }) => user?.standing.kind === 'age_question');
  // An answer marks the notice as seen and changes the standing, in either order.
  const isAnswered = notice.seenAt !== null && !mustAnswer;
  const showsQuestion = notice.kind === 'age_question' && !isAnswered;
  return (
    <Modal isOpen isOpenedByPage title={getNoticeTitle(notice)} onDismiss={close}>
      <div className="mt-4">
        <NoticeBody notice={notice} />
        {showsQuestion ? (
          <AgeQuestion userId={userId} notice={notice} />
        ) : (
          <AppealPart userId={userId} notice={notice}>
            <Button
              onClick={() => {
                markSeen(notice);
                close();
              }}
            >
              {copy.notice.understand}
            </Button>
          </AppealPart>
        )}
      </div>
    </Modal>
  );
};
