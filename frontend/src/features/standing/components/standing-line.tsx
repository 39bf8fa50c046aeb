import { type SelfUser } from '@thaw/contract/users';
import { useNotices } from '@/features/standing/api/notices';
import { copy } from '@/features/standing/copy';
import { openNotice } from '@/features/standing/stores/notice-dialog.store';
import { Button } from '@/ui/button';

/**
 * The line on the start screen of the random chat for two standings: a user in care is matched only with others in
 * care, and a user with the age question has to answer it before they can search.
 */
export const StandingLine = ({ user: { id, standing } }: { user: SelfUser }) => {
  const { data: notices } = useNotices(id);
  const isQuestion = standing.kind === 'age_question';
  const noticeKind = isQuestion ? 'age_question' : 'care';
  // The standing does not always name its notice. The newest notice of a kind comes first in the list.
  const notice =
    notices?.find(({ id: noticeId }) => noticeId === standing.noticeId) ??
    notices?.find(({ kind }) => kind === noticeKind);
  return (
    <p className="rounded-control border border-border bg-raised px-4 py-3 text-base">
      {isQuestion ? copy.standingLine.ageQuestion : copy.standingLine.care}{' '}
      {notice ? (
        <Button
          variant="link"
          size="sm"
          aria-haspopup="dialog"
          className="inline h-auto px-0 align-baseline text-base text-foreground underline underline-offset-4"
          onClick={() => openNotice(notice.id)}
        >
          {isQuestion ? copy.standingLine.answer : copy.standingLine.why}
        </Button>
      ) : null}
    </p>
  );
};
