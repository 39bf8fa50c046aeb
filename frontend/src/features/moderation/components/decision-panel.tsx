import { type ModerationCase } from '@thaw/contract/moderation';
import { AppealForm } from '@/features/moderation/components/appeal-form';
import { ConfirmationForm } from '@/features/moderation/components/confirmation-form';
import { DecideForm, type DecisionFormProps } from '@/features/moderation/components/decide-form';
import { MutedText } from '@/features/moderation/components/parts';
import { copy } from '@/features/moderation/copy';
import { createCaseDraft, type CaseDraft } from '@/features/moderation/decision/case-draft';
import { useModeratorName } from '@/features/moderation/hooks/use-moderator-name';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';

const formByKind = {
  reports: DecideForm,
  finding: DecideForm,
  confirmation: ConfirmationForm,
  appeal: AppealForm,
} as const;

export interface DecisionPanelProps extends Pick<DecisionFormProps, 'onDecide' | 'onCancel'> {
  moderationCase: ModerationCase;
  myId: number;
}

/** The form for the decision that a case waits for. What is entered is kept as a draft until the case is decided. */
export const DecisionPanel = ({ moderationCase, myId, onDecide, onCancel }: DecisionPanelProps) => {
  const draft = useWorkbench(({ drafts }) => drafts[moderationCase.id]) ?? createCaseDraft(moderationCase);
  const isClaimedByOther = moderationCase.claimedBy !== null && moderationCase.claimedBy !== myId;
  const claimerName = useModeratorName(isClaimedByOther ? moderationCase.claimedBy : null);
  const Form = formByKind[moderationCase.kind];
  const change = (changes: Partial<CaseDraft>): void =>
    workbench.saveDraft(moderationCase.id, { ...draft, ...changes });
  return (
    <>
      {isClaimedByOther ? (
        <div role="status" className="mb-3">
          <MutedText>{copy.decide.claimedByOther(claimerName)}</MutedText>
        </div>
      ) : null}
      <Form
        moderationCase={moderationCase}
        draft={draft}
        onChange={change}
        onDecide={onDecide}
        onCancel={onCancel}
      />
    </>
  );
};
