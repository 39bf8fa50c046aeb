import { type CaseItem } from '@thaw/contract/moderation';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { escalateCase } from '@/features/moderation/api/calls';
import { caseKey, caseQuery, casesUrl } from '@/features/moderation/api/queries';
import { CaseHistory } from '@/features/moderation/components/case-history';
import { CasePane } from '@/features/moderation/components/case-pane';
import { CaseReports } from '@/features/moderation/components/case-reports';
import { DecisionPanel } from '@/features/moderation/components/decision-panel';
import { Person } from '@/features/moderation/components/person';
import { ReasonDialog } from '@/features/moderation/components/reason-dialog';
import { copy } from '@/features/moderation/copy';
import { type Submission } from '@/features/moderation/hooks/use-submission';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';
import { ApiError } from '@/lib/api-client';
import { Button } from '@/ui/button';
import { Delayed } from '@/ui/delayed';
import { LoadError } from '@/ui/load-error';
import { Skeleton } from '@/ui/skeleton';

export interface OpenCaseProps {
  caseId: number;
  myId: number;
  /** The entry of the case in the queue; undefined if the queue does not contain the case. */
  item: CaseItem | undefined;
  onOpenCase: (caseId: number) => void;
  onClose: () => void;
  /** Opens the next (1) or the previous (-1) case of the queue. */
  onStep: (step: 1 | -1) => void;
  onClaim: () => void;
  onRelease: () => void;
  onOpenForm: () => void;
  onCloseForm: () => void;
  onSubmit: (submission: Submission) => void;
}

const LoadFailure = ({
  error,
  onRetry,
  onClose,
}: Pick<OpenCaseProps, 'onClose'> & { error: Error; onRetry: () => void }) => (
  <div className="grid gap-4">
    <LoadError
      text={error instanceof ApiError && error.status === 404 ? copy.case.notFound : copy.case.failed}
      onRetry={onRetry}
    />
    <Button variant="ghost" className="w-fit" onClick={onClose}>
      {copy.case.back}
    </Button>
  </div>
);

/**
 * The open case: its evidence, and beside it either the reports, the person and the history, or the decision form.
 */
export const OpenCase = ({ caseId, myId, item, onOpenCase, onSubmit, ...actions }: OpenCaseProps) => {
  const queries = useQueryClient();
  const { data: moderationCase, error, refetch } = useQuery(caseQuery(caseId));
  const isFormOpen = useWorkbench((state) => state.isFormOpen);
  const isSending = useWorkbench(({ sendingCaseIds }) => sendingCaseIds.includes(caseId));
  const [isEscalating, setEscalating] = useState(false);

  if (!moderationCase)
    return (
      <div className="moderation-column p-4">
        {error ? (
          <LoadFailure error={error} onRetry={() => void refetch()} onClose={actions.onClose} />
        ) : (
          <Delayed>
            <Skeleton label={copy.loading} bars={['h-9', 'h-24', 'h-24']} />
          </Delayed>
        )}
      </div>
    );

  const isFormShown = isFormOpen && moderationCase.state !== 'decided';
  const hasQueueNewerVersion = item !== undefined && item.version > moderationCase.version;
  // While a decision is being sent, the newer version may be the result of this decision.
  const isStale = hasQueueNewerVersion && !isSending;
  return (
    <>
      <div className="moderation-column">
        <CasePane
          key={caseId}
          moderationCase={moderationCase}
          myId={myId}
          isStale={isStale}
          isFormOpen={isFormShown}
          onClose={actions.onClose}
          onStep={actions.onStep}
          onClaim={actions.onClaim}
          onRelease={actions.onRelease}
          onToggleForm={isFormShown ? actions.onCloseForm : actions.onOpenForm}
          onEscalate={() => setEscalating(true)}
          onRefresh={() => void refetch()}
        />
      </div>
      <div className="moderation-column moderation-side">
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-6 p-4">
          {isFormShown ? (
            <DecisionPanel
              key={caseId}
              moderationCase={moderationCase}
              myId={myId}
              onDecide={(send) => onSubmit({ moderationCase, send, announcement: copy.done.decided(caseId) })}
              onCancel={actions.onCloseForm}
            />
          ) : (
            <>
              <CaseReports moderationCase={moderationCase} />
              <Person
                key={moderationCase.userId}
                userId={moderationCase.userId}
                caseId={caseId}
                onOpenCase={onOpenCase}
              />
              <CaseHistory key={caseId} moderationCase={moderationCase} />
            </>
          )}
        </div>
      </div>
      {isEscalating ? (
        <ReasonDialog
          texts={copy.dialogs.escalate}
          send={(reason) => escalateCase(caseId, { version: moderationCase.version, reason })}
          onDone={() => {
            setEscalating(false);
            workbench.announce(copy.done.escalated(caseId));
            void queries.invalidateQueries({ queryKey: caseKey(caseId) });
            void queries.invalidateQueries({ queryKey: [casesUrl] });
          }}
          onDismiss={() => setEscalating(false)}
        />
      ) : null}
    </>
  );
};
