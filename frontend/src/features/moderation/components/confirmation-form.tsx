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
type Choice = (typeof choices)[number];

const toChoice = (isConfirmed: boolean | null): Choice | null => {
  if (isConfirmed === null) return null;
  return isConfirmed ? 'yes' : 'no';
};

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
  const deciderId = decision?.moderatorId ?? null; // null for a ban by an automatic rule
  const deciderName = useModeratorName(deciderId);
  const choice = toChoice(draft.isConfirmed);
  // Facts that were not edited are a template. The field is empty then, and the facts of the ban stay as they are.
  const facts = draft.isFactsEdited ? draft.facts : '';
  const { body, problems = [] } = buildConfirmationBody(draft, moderationCase.version);
  const submit = (): void => {
    setSubmitted(true);
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
        error={wasSubmitted ? findLengthError(problems) : undefined}
        rows={4}
        counter={copy.decide.counter(countCharacters(facts), limits.factsMaxCodePoints)}
        value={facts}
        // An empty field counts as not edited.
        onChange={({ target }) => onChange({ facts: target.value, isFactsEdited: target.value !== '' })}
      />
    </FormFrame>
  );
};
