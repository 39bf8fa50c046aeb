import { type SelfUser } from '@thaw/contract/users';
import { useNotices } from '@/features/standing/api/notices';
import { copy } from '@/features/standing/copy';
import { openNotice } from '@/features/standing/stores/notice-dialog.store';
import { Button } from '@/ui/button';

/**
 * The line on the start screen of the random chat for a user whose standing (set by moderation) restricts the search.
 * In care, they are matched only with others in care. With an age question, they cannot search until they answer it.
 */
export const StandingLine = ({ user: { id, standing } }: { user: SelfUser }) => {
  const { data: notices } = useNotices(id);
  const isAgeQuestion = standing.kind === 'age_question';
  const noticeKind = isAgeQuestion ? 'age_question' : 'care';
  // The standing does not always name its notice. The newest notice of a kind comes first in the list.
  const notice =
    notices?.find(({ id: noticeId }) => noticeId === standing.noticeId) ??
    notices?.find(({ kind }) => kind === noticeKind);
  return (
    <p className="rounded-control border border-border bg-raised px-4 py-3 text-base">
      {isAgeQuestion ? copy.standingLine.ageQuestion : copy.standingLine.care}{' '}
      {notice ? (
        <Button
          variant="link"
          size="sm"
          aria-haspopup="dialog"
          className="inline h-auto px-0 align-baseline text-base text-foreground underline underline-offset-4"
          onClick={() => openNotice(notice.id)}
        >
          {isAgeQuestion ? copy.standingLine.answer : copy.standingLine.why}
        </Button>
      ) : null}
    </p>
  );
};
