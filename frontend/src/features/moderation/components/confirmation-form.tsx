import { limits } from '@thaw/contract/limits';
import { useState } from 'react';
import { confirmBan } from '@/features/moderation/api/calls';
import { findLengthError, type DecisionFormProps } from '@/features/moderation/components/decide-form';
import { Choices, TextField } from '@/features/moderation/components/form-fields';
import { FormFrame } from '@/features/moderation/components/form-frame';
import { copy } from '@/features/moderation/copy';
import { countCharacters, buildConfirmationBody } from '@/features/moderation/decision/case-draft';
import { useModeratorName } from '@/features/moderation/hooks/use-moderator-name';

const texts = copy.confirmation;
const choices = ['yes', 'no'] as const;

/** The form in which a second moderator confirms or rejects a ban. */
export const ConfirmationForm = ({
  moderationCase,
  draft,
  onChange,
  onDecide,
  onCancel,
}: DecisionFormProps) => {
  // Problems are shown only after the first attempt to submit.
  const [wasSubmitted, setSubmitted] = useState(false);
  const decision = moderationCase.history.findLast((entry) => entry.kind === 'decision');
  const deciderId = decision?.moderatorId ?? null;
  const deciderName = useModeratorName(deciderId);
  const choice = draft.isConfirmed === null ? null : draft.isConfirmed ? 'yes' : 'no';
  // Facts that were not edited are a generated template. It is hidden, because it must not replace those of the ban.
  const facts = draft.isFactsEdited ? draft.facts : '';
  const problems = wasSubmitted ? (buildConfirmationBody(draft, moderationCase.version).problems ?? []) : [];
  const submit = (): void => {
    setSubmitted(true);
    const { body } = buildConfirmationBody(draft, moderationCase.version);
    if (body) onDecide(() => confirmBan(moderationCase.id, body));
  };
  return (
    <FormFrame
      caseId={moderationCase.id}
      title={texts.title}
      submitLabel={choice && texts.submit[choice]}
      isDestructive={choice === 'yes'}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <p className="text-base text-muted-foreground">
        {deciderId === null ? texts.automatic : texts.lead(deciderName)}
      </p>
      {decision?.facts ? (
        <blockquote className="text-base wrap-anywhere whitespace-pre-wrap">{decision.facts}</blockquote>
      ) : null}
      <Choices
        legend={texts.question}
        hasInitialFocus
        value={choice}
        options={choices.map((value) => ({ value, label: texts.choices[value] }))}
        onChoose={(value) => onChange({ isConfirmed: value === 'yes' })}
      />
      <TextField
        label={texts.facts}
        hint={texts.factsHint}
        error={findLengthError(problems)}
        rows={4}
        counter={copy.decide.counter(countCharacters(facts), limits.factsMaxCodePoints)}
        value={facts}
        // An empty field counts as not edited: it leaves the facts of the ban as they are.
        onChange={({ target }) => onChange({ facts: target.value, isFactsEdited: target.value !== '' })}
      />
    </FormFrame>
  );
};
