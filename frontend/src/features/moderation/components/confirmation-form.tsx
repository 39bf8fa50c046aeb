import { limits } from '@thaw/contract/limits';
import { useState } from 'react';
import { confirmBan } from '@/features/moderation/api/calls';
import { findFactsError, type FormProps } from '@/features/moderation/components/decide-form';
import { Choices, TextField } from '@/features/moderation/components/form-fields';
import { FormFrame } from '@/features/moderation/components/form-frame';
import { copy } from '@/features/moderation/copy';
import { countCharacters, toConfirmation } from '@/features/moderation/decision/case-draft';
import { useModeratorName } from '@/features/moderation/hooks/use-name';

const texts = copy.confirmation;
const choices = ['yes', 'no'] as const;

/** The second look at a ban. */
export const ConfirmationForm = ({ shown, draft, onChange, onSubmit, onCancel }: FormProps) => {
  const [isChecked, setChecked] = useState(false);
  const decision = shown.history.findLast((entry) => entry.kind === 'decision');
  const name = useModeratorName(decision?.moderatorId ?? null);
  const choice = draft.isConfirmed === null ? null : draft.isConfirmed ? 'yes' : 'no';
  const facts = draft.isFactsEdited ? draft.facts : '';
  const problems = isChecked ? (toConfirmation(draft, shown.version).problems ?? []) : [];
  const submit = (): void => {
    setChecked(true);
    const { body } = toConfirmation(draft, shown.version);
    if (body) onSubmit(() => confirmBan(shown.id, body));
  };
  return (
    <FormFrame
      caseId={shown.id}
      title={texts.title}
      submitLabel={choice && texts.submit[choice]}
      isDestructive={choice === 'yes'}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <p className="text-base text-muted-foreground">
        {decision?.moderatorId == null ? texts.automatic : texts.lead(name)}
      </p>
      {decision?.facts ? (
        <blockquote className="text-base wrap-anywhere whitespace-pre-wrap">{decision.facts}</blockquote>
      ) : null}
      <Choices
        legend={texts.question}
        isFirst
        value={choice}
        options={choices.map((value) => ({ value, label: texts.choices[value] }))}
        onChoose={(value) => onChange({ isConfirmed: value === 'yes' })}
      />
      <TextField
        label={texts.facts}
        hint={texts.factsHint}
        error={findFactsError(problems)}
        rows={4}
        counter={copy.decide.counter(countCharacters(facts), limits.factsMaxCodePoints)}
        value={facts}
        onChange={({ target }) => onChange({ facts: target.value, isFactsEdited: target.value !== '' })}
      />
    </FormFrame>
  );
};
