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
  me: number;
  /** The entry of the queue, if the case is in it. */
  item: CaseItem | undefined;
  onOpenCase: (caseId: number) => void;
  onClose: () => void;
  onStep: (step: 1 | -1) => void;
  onClaim: () => void;
  onRelease: () => void;
  onOpenForm: () => void;
  onCloseForm: () => void;
  onSubmit: (submission: Submission) => void;
}

/** A case: its evidence in the middle; beside it the person, or the decision. */
export const OpenCase = ({ caseId, me, item, onOpenCase, onSubmit, ...actions }: OpenCaseProps) => {
  const queries = useQueryClient();
  const { data: shown, error, refetch } = useQuery(caseQuery(caseId));
  const isFormOpen = useWorkbench((state) => state.isFormOpen);
  const isSending = useWorkbench(({ sending }) => sending.includes(caseId));
  const [isEscalating, setEscalating] = useState(false);

  if (!shown)
    return (
      <div className="moderation-column p-4">
        {error ? (
          <div className="grid gap-4">
            <LoadError
              text={error instanceof ApiError && error.status === 404 ? copy.case.notFound : copy.case.failed}
              onRetry={() => void refetch()}
            />
            <Button variant="ghost" className="w-fit" onClick={actions.onClose}>
              {copy.case.back}
            </Button>
          </div>
        ) : (
          <Delayed>
            <Skeleton label={copy.loading} bars={['h-9', 'h-24', 'h-24']} />
          </Delayed>
        )}
      </div>
    );

  const showsForm = isFormOpen && shown.state !== 'decided';
  return (
    <>
      <div className="moderation-column">
        <CasePane
          key={caseId}
          shown={shown}
          me={me}
          isStale={item !== undefined && item.version > shown.version && !isSending}
          isFormOpen={showsForm}
          onClose={actions.onClose}
          onStep={actions.onStep}
          onClaim={actions.onClaim}
          onRelease={actions.onRelease}
          onDecide={showsForm ? actions.onCloseForm : actions.onOpenForm}
          onEscalate={() => setEscalating(true)}
          onRefresh={() => void refetch()}
        />
      </div>
      <div className="moderation-column moderation-side">
        <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-6 p-4">
          {showsForm ? (
            <DecisionPanel
              key={caseId}
              shown={shown}
              me={me}
              onSubmit={(send) => onSubmit({ shown, send, announcement: copy.done.decided(caseId) })}
              onCancel={actions.onCloseForm}
            />
          ) : (
            <>
              <CaseReports shown={shown} />
              <Person key={shown.userId} userId={shown.userId} caseId={caseId} onOpenCase={onOpenCase} />
              <CaseHistory key={caseId} shown={shown} />
            </>
          )}
        </div>
      </div>
      {isEscalating ? (
        <ReasonDialog
          texts={copy.dialogs.escalate}
          send={(reason) => escalateCase(caseId, { version: shown.version, reason })}
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
