import { type ModerationCase } from '@thaw/contract/moderation';
import { AppealForm } from '@/features/moderation/components/appeal-form';
import { ConfirmationForm } from '@/features/moderation/components/confirmation-form';
import { DecideForm, type FormProps } from '@/features/moderation/components/decide-form';
import { Quiet } from '@/features/moderation/components/parts';
import { copy } from '@/features/moderation/copy';
import { createCaseDraft, type CaseDraft } from '@/features/moderation/decision/case-draft';
import { useModeratorName } from '@/features/moderation/hooks/use-name';
import { useWorkbench, workbench } from '@/features/moderation/stores/workbench.store';

const forms = {
  reports: DecideForm,
  finding: DecideForm,
  confirmation: ConfirmationForm,
  appeal: AppealForm,
} as const;

export interface DecisionPanelProps extends Pick<FormProps, 'onSubmit' | 'onCancel'> {
  shown: ModerationCase;
  me: number;
}

/** The decision that this case waits for. What is entered is kept until it is decided. */
export const DecisionPanel = ({ shown, me, onSubmit, onCancel }: DecisionPanelProps) => {
  const draft = useWorkbench(({ drafts }) => drafts[shown.id]) ?? createCaseDraft(shown);
  const isOthers = shown.claimedBy !== null && shown.claimedBy !== me;
  const claimer = useModeratorName(isOthers ? shown.claimedBy : null);
  const Form = forms[shown.kind];
  const change = (changes: Partial<CaseDraft>): void =>
    workbench.saveDraft(shown.id, { ...draft, ...changes });
  return (
    <>
      {isOthers ? (
        <div role="status" className="mb-3">
          <Quiet>{copy.decide.claimedByOther(claimer)}</Quiet>
        </div>
      ) : null}
      <Form shown={shown} draft={draft} onChange={change} onSubmit={onSubmit} onCancel={onCancel} />
    </>
  );
};
