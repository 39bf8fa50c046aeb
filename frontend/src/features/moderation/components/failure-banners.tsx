import { copy } from '@/features/moderation/copy';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';
import { Button } from '@/ui/button';

export interface FailureBannersProps {
  openCaseId: number | undefined;
  onOpen: (caseId: number) => void;
}

/** A banner for each decision that failed. The failure of the case with the open form is shown in the form instead. */
export const FailureBanners = ({ openCaseId, onOpen }: FailureBannersProps) => {
  const failures = useWorkbench((state) => state.failures);
  const isFormOpen = useWorkbench((state) => state.isFormOpen);
  return failures
    .filter(({ caseId }) => !(isFormOpen && caseId === openCaseId))
    .map(({ caseId, text }) => (
      <div
        key={caseId}
        role="alert"
        className="flex flex-wrap items-center gap-3 border-b border-border bg-card px-4 py-2"
      >
        <p className="flex-1 text-base text-destructive">{copy.failures.notDecided(caseId, text)}</p>
        <Button size="sm" variant="secondary" onClick={() => onOpen(caseId)}>
          {copy.failures.goBack(caseId)}
        </Button>
        <Button size="sm" variant="ghost" onClick={() => workbench.removeFailure(caseId)}>
          {copy.failures.dismiss}
        </Button>
      </div>
    ));
};
