import { limits } from '@thaw/contract/limits';
import { type ModerationCase } from '@thaw/contract/moderation';
import { appealOutcomeSchema } from '@thaw/contract/standing';
import { useState } from 'react';
import { decideAppeal } from '@/features/moderation/api/calls';
import { findLengthError, type DecisionFormProps } from '@/features/moderation/components/decide-form';
import { Choices, TextField } from '@/features/moderation/components/form-fields';
import { FormFrame } from '@/features/moderation/components/form-frame';
import { MutedText } from '@/features/moderation/components/parts';
import { NoticePreview, Preview } from '@/features/moderation/components/preview';
import { UntilField } from '@/features/moderation/components/until-field';
import { copy } from '@/features/moderation/copy';
import { countCharacters, buildAppealDecisionBody } from '@/features/moderation/decision/case-draft';
import { buildAppealNotice } from '@/features/moderation/decision/decided-notice';
import { useNow } from '@/features/moderation/hooks/use-now';

const texts = copy.appeal;
/** An answer may be as long as the facts of a decision. */
const answerMaxCodePoints = limits.factsMaxCodePoints;

/** The oldest undecided appeal of a case. */
export const findOpenAppeal = ({ history }: Pick<ModerationCase, 'history'>) =>
  history.filter((entry) => entry.kind === 'appeal').find(({ state }) => state === 'open');

/** The form that decides an appeal: of the person against a decision, or of a reporter against a dismissal. */
export const AppealForm = ({ moderationCase, draft, onChange, onDecide, onCancel }: DecisionFormProps) => {
  const now = useNow();
  // Problems are shown only after the first attempt to submit.
  const [wasSubmitted, setSubmitted] = useState(false);
  const appeal = findOpenAppeal(moderationCase);
  const { appealOutcome, answer } = draft;
  const problems = wasSubmitted
    ? (buildAppealDecisionBody(draft, moderationCase.version, now).problems ?? [])
    : [];
  const notice = buildAppealNotice(draft, now);
  const submit = (): void => {
    setSubmitted(true);
    // Not `now`, which is up to 30 s old.
    const { body } = buildAppealDecisionBody(draft, moderationCase.version, Date.now());
    if (body && appeal) onDecide(() => decideAppeal(appeal.appealId, body));
  };
  return (
    <FormFrame
      caseId={moderationCase.id}
      title={texts.title}
      submitLabel={appeal && appealOutcome ? texts.submit[appealOutcome] : null}
      onSubmit={submit}
      onCancel={onCancel}
    >
      {appeal ? (
        <div className="grid gap-1">
          <p className="text-sm font-semibold">{texts.words}</p>
          {appeal.appellantId === moderationCase.userId ? null : <MutedText>{texts.fromReporter}</MutedText>}
          <blockquote className="rounded-control bg-card p-3 text-base wrap-anywhere whitespace-pre-wrap">
            <bdi>{appeal.words ?? copy.history.erased}</bdi>
          </blockquote>
        </div>
      ) : (
        <MutedText>{texts.none}</MutedText>
      )}
      <div className="grid gap-1">
        <Choices
          legend={texts.outcome}
          hasInitialFocus
          value={appealOutcome}
          options={appealOutcomeSchema.options.map((value) => ({ value, label: texts.outcomes[value] }))}
          onChoose={(chosen) => onChange({ appealOutcome: chosen })}
        />
        {appealOutcome ? <MutedText>{texts.hints[appealOutcome]}</MutedText> : null}
      </div>
      {appealOutcome === 'reduced' ? (
        <UntilField
          legend={texts.until}
          draft={draft}
          onChange={onChange}
          now={now}
          error={problems.includes('until') ? copy.decide.needsUntil : undefined}
        />
      ) : null}
      <TextField
        label={texts.answer}
        hint={texts.answerHint}
        error={findLengthError(problems)}
        rows={5}
        counter={copy.decide.counter(countCharacters(answer), answerMaxCodePoints)}
        value={answer}
        onChange={({ target }) => onChange({ answer: target.value })}
      />
      {notice ? (
        <Preview label={copy.decide.preview}>
          <NoticePreview notice={notice} />
        </Preview>
      ) : null}
    </FormFrame>
  );
};
