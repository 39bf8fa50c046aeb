import { type SelfUser } from '@thaw/contract/users';
import { useNotices } from '@/features/standing/api/notices';
import { copy } from '@/features/standing/copy';
import { openNotice } from '@/features/standing/stores/notice-dialog.store';
import { Button } from '@/ui/button';

/**
 * The line on the start screen of the random chat for a user who meets fewer people (a user in care is matched only
 * with others in care), or who has to answer the age question before they can search.
 */
export const StandingLine = ({ user: { id, standing } }: { user: SelfUser }) => {
  const { data: notices } = useNotices(id);
  const isQuestion = standing.kind === 'age_question';
  const noticeKind = isQuestion ? 'age_question' : 'care';
  // The standing may not name its notice; the newest one of its kind then comes first in the list.
  const notice =
    notices?.find(({ id: noticeId }) => noticeId === standing.noticeId) ??
    notices?.find(({ kind }) => kind === noticeKind);
  return (
    <p className="rounded-control border border-border bg-raised px-4 py-3 text-base">
      {isQuestion ? copy.line.ageQuestion : copy.line.care}{' '}
      {notice ? (
        <Button
          variant="link"
          size="sm"
          aria-haspopup="dialog"
          className="inline h-auto px-0 align-baseline text-base text-foreground underline underline-offset-4"
          onClick={() => openNotice(notice.id)}
        >
          {isQuestion ? copy.line.answer : copy.line.why}
        </Button>
      ) : null}
    </p>
  );
};
