import { type Notice } from '@thaw/contract/safety';
import { useState, type ReactNode } from 'react';
import { AppealDialog } from '@/features/standing/components/appeal-dialog';
import { copy } from '@/features/standing/copy';
import { copy as noticeCopy } from '@/product/notice/copy';
import { Button } from '@/ui/button';

export interface AppealPartProps {
  userId: number;
  notice: Notice;
  /** Whether the Appeal button is shown as the main action. */
  isAppealPrimary?: boolean;
  /** Further buttons, shown after the Appeal button. */
  children: ReactNode;
}

/**
 * The open or decided appeal against a notice, if there is one, and below it the actions: the Appeal button, while an
 * appeal is possible, and `children`.
 */
export const AppealPart = ({ userId, notice, isAppealPrimary = false, children }: AppealPartProps) => {
  const [isAppealing, setAppealing] = useState(false);
  const { state, outcome, answer } = notice.appeal;
  // The notice `appeal_decided` contains the outcome in its own text.
  const showsOutcome = state === 'decided' && notice.kind !== 'appeal_decided';
  return (
    <>
      {state === 'open' ? (
        <p role="status" className="mt-4 border-l-3 border-primary pl-3 text-base">
          {copy.appeal.underReview}
        </p>
      ) : null}
      {showsOutcome ? (
        <div className="mt-4 grid gap-1 border-l-3 border-primary pl-3 text-base">
          {outcome ? <p>{noticeCopy.appealDecided[outcome]}</p> : null}
          {answer ? (
            <p className="wrap-anywhere whitespace-pre-wrap text-muted-foreground">{answer}</p>
          ) : null}
        </div>
      ) : null}
      <div className="mt-6 flex flex-wrap gap-3">
        {state === 'possible' ? (
          <Button
            variant={isAppealPrimary ? 'default' : 'outline'}
            aria-haspopup="dialog"
            onClick={() => setAppealing(true)}
          >
            {copy.appeal.open}
          </Button>
        ) : null}
        {children}
      </div>
      {isAppealing ? (
        <AppealDialog userId={userId} notice={notice} onDismiss={() => setAppealing(false)} />
      ) : null}
    </>
  );
};
