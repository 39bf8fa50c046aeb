import { type SelfUser } from '@thaw/contract/users';
import { useNotices } from '@/features/standing/api/notices';
import { copy } from '@/features/standing/copy';
import { openNotice } from '@/features/standing/stores/notice-dialog.store';
import { Button } from '@/ui/button';

/** The line on the initial stage for a user who meets fewer people, or who has to answer a question first. */
export const StandingLine = ({ user: { id, standing } }: { user: SelfUser }) => {
  const { data: notices } = useNotices(id);
  const isQuestion = standing.kind === 'age_question';
  const kind = isQuestion ? 'age_question' : 'care';
  const notice =
    notices?.find((other) => other.id === standing.noticeId) ?? notices?.find((other) => other.kind === kind);
  return (
    <p className="flex flex-wrap items-center gap-x-2 rounded-control border border-border bg-raised px-4 py-2 text-base">
      <span className="py-1">{isQuestion ? copy.line.ageQuestion : copy.line.care}</span>
      {notice ? (
        <Button
          variant="link"
          size="sm"
          aria-haspopup="dialog"
          className="px-1 text-base underline"
          onClick={() => openNotice(notice.id)}
        >
          {isQuestion ? copy.line.answer : copy.line.why}
        </Button>
      ) : null}
    </p>
  );
};
