import { limits } from '@thaw/contract/limits';
import { caseOutcomeSchema, type ModerationCase } from '@thaw/contract/moderation';
import { houseRuleSchema, reportCategorySchema, type HouseRule } from '@thaw/contract/standing';
import { useState } from 'react';
import { decideCase } from '@/features/moderation/api/calls';
import { Choices, SelectField, TextField } from '@/features/moderation/components/form-fields';
import { FormFrame } from '@/features/moderation/components/form-frame';
import { MutedText } from '@/features/moderation/components/parts';
import { NoticePreview, Preview } from '@/features/moderation/components/preview';
import { UntilField } from '@/features/moderation/components/until-field';
import { copy } from '@/features/moderation/copy';
import {
  buildFacts,
  countCharacters,
  findTimeOfIncident,
  buildDecisionBody,
  withRule,
  type CaseDraft,
  type Problem,
} from '@/features/moderation/decision/case-draft';
import { buildDecisionNotice, buildReportNotice } from '@/features/moderation/decision/decided-notice';
import { useNow } from '@/features/moderation/hooks/use-now';
import { ruleTitles } from '@/product/rule-titles';
import { Button } from '@/ui/button';

const texts = copy.decide;

/** Props of the three decision forms: `DecideForm`, `AppealForm` and `ConfirmationForm`. */
export interface DecisionFormProps {
  moderationCase: ModerationCase;
  draft: CaseDraft;
  onChange: (changes: Partial<CaseDraft>) => void;
  /** Receives the function that sends the decision. */
  onDecide: (send: () => Promise<unknown>) => void;
  onCancel: () => void;
}

/** The error message for facts, or for an answer to an appeal, whose length is invalid. */
export const findLengthError = (problems: readonly Problem[]): string | undefined => {
  if (problems.includes('short')) return texts.factsShort(limits.factsMinCodePoints);
  if (problems.includes('long')) return texts.factsLong(limits.factsMaxCodePoints);
  return undefined;
};

const FactsField = ({
  moderationCase,
  draft,
  onChange,
  error,
}: Pick<DecisionFormProps, 'moderationCase' | 'draft' | 'onChange'> & { error: string | undefined }) => {
  const { rule, facts } = draft;
  const template = rule && buildFacts(rule, findTimeOfIncident(moderationCase));
  return (
    <TextField
      label={texts.facts}
      hint={texts.factsHint}
      error={error}
      counter={texts.counter(countCharacters(facts), limits.factsMaxCodePoints)}
      action={
        template && template !== facts ? (
          <Button
            variant="link"
            size="sm"
            className="h-auto px-0"
            // Facts that are not edited are replaced when another rule is chosen.
            onClick={() => onChange({ facts: template, isFactsEdited: false })}
          >
            {texts.template}
          </Button>
        ) : null
      }
      rows={5}
      value={facts}
      onChange={({ target }) => onChange({ facts: target.value, isFactsEdited: true })}
    />
  );
};

/** Lists the images that a decision can block: those that the reported user has sent. */
const listBlockableImages = ({ evidence, userId }: ModerationCase): number[] => {
  const messages = evidence.flatMap((entry) => entry.messages);
  const messagesOfUser = messages.filter(({ senderId }) => senderId === userId);
  const imageIds = messagesOfUser.flatMap(({ images }) => images.map(({ imageId }) => imageId));
  return [...new Set(imageIds)];
};

/** The images to block, which cannot be sent again. */
const ImagesField = ({
  moderationCase,
  draft,
  onChange,
}: Pick<DecisionFormProps, 'moderationCase' | 'draft' | 'onChange'>) => {
  const imageIds = listBlockableImages(moderationCase);
  if (imageIds.length === 0) return null;
  const toggle = (imageId: number, isBlocked: boolean): void =>
    onChange({
      blockImages: isBlocked
        ? [...draft.blockImages, imageId]
        : draft.blockImages.filter((other) => other !== imageId),
    });
  return (
    <fieldset className="grid min-w-0 gap-1">
      <legend className="mb-1 text-sm font-semibold">{texts.images}</legend>
      <p className="text-sm text-muted-foreground">{texts.imagesHint}</p>
      <div className="flex flex-wrap gap-x-4">
        {imageIds.map((imageId) => (
          <label key={imageId} className="flex min-h-11 items-center gap-2 text-base">
            <input
              type="checkbox"
              className="size-5"
              checked={draft.blockImages.includes(imageId)}
              onChange={({ target }) => toggle(imageId, target.checked)}
            />
            {texts.image(imageId)}
          </label>
        ))}
      </div>
    </fieldset>
  );
};

interface ReasonFieldsProps extends Pick<DecisionFormProps, 'moderationCase' | 'draft' | 'onChange'> {
  problems: readonly Problem[];
  now: number;
}

/** The broken rule, the end of a suspension, and the facts. A dismissal has none of them. */
const ReasonFields = ({ moderationCase, draft, onChange, problems, now }: ReasonFieldsProps) => {
  const { outcome, rule } = draft;
  return (
    <>
      <SelectField
        label={texts.rule}
        value={rule ?? ''}
        error={problems.includes('rule') ? texts.needsRule : undefined}
        onChange={({ target }) =>
          onChange(withRule(draft, target.value as HouseRule, findTimeOfIncident(moderationCase)))
        }
      >
        {rule === null ? <option value="">{texts.chooseRule}</option> : null}
        {houseRuleSchema.options.map((value) => (
          <option key={value} value={value}>
            {ruleTitles[value]}
          </option>
        ))}
      </SelectField>
      {outcome === 'suspended' ? (
        <UntilField
          legend={texts.until}
          draft={draft}
          onChange={onChange}
          now={now}
          error={problems.includes('until') ? texts.needsUntil : undefined}
        />
      ) : null}
      <FactsField
        moderationCase={moderationCase}
        draft={draft}
        onChange={onChange}
        error={findLengthError(problems)}
      />
    </>
  );
};

const Previews = ({
  moderationCase,
  draft,
  now,
}: {
  moderationCase: ModerationCase;
  draft: CaseDraft;
  now: number;
}) => {
  const { outcome } = draft;
  if (outcome === null) return null;
  const notice = buildDecisionNotice(moderationCase, draft, now);
  // Each reporter gets a notice about the category of their report. The preview shows the notice about the gravest
  // category, which the schema lists first.
  const gravestCategory = reportCategorySchema.options.find((category) =>
    moderationCase.reports.some((report) => report.category === category),
  );
  return (
    <>
      <Preview label={texts.preview}>
        {notice ? <NoticePreview notice={notice} /> : <MutedText>{texts.noNotice}</MutedText>}
        {outcome === 'banned' ? <MutedText>{texts.banNote}</MutedText> : null}
      </Preview>
      {gravestCategory ? (
        <Preview label={texts.previewReporter}>
          <NoticePreview notice={buildReportNotice(gravestCategory, outcome, now)} />
        </Preview>
      ) : null}
    </>
  );
};

/** The form that decides a case about reports or an automatic finding, such as a stated age under 18. */
export const DecideForm = ({ moderationCase, draft, onChange, onDecide, onCancel }: DecisionFormProps) => {
  const now = useNow();
  // Problems are shown only after the first attempt to submit.
  const [wasSubmitted, setSubmitted] = useState(false);
  const { outcome } = draft;
  const problems = wasSubmitted ? (buildDecisionBody(draft, moderationCase.version, now).problems ?? []) : [];
  const needsReason = outcome !== null && outcome !== 'dismissed';
  const submit = (): void => {
    setSubmitted(true);
    // Not `now`, which is up to 30 s old.
    const { body } = buildDecisionBody(draft, moderationCase.version, Date.now());
    if (body) onDecide(() => decideCase(moderationCase.id, body));
  };
  return (
    <FormFrame
      caseId={moderationCase.id}
      title={texts.title}
      submitLabel={outcome && texts.submit[outcome]}
      isDestructive={outcome === 'banned' || outcome === 'suspended'}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <Choices
        legend={texts.outcome}
        hasInitialFocus
        value={outcome}
        options={caseOutcomeSchema.options.map((value) => ({ value, label: texts.outcomes[value] }))}
        onChoose={(chosen) => onChange({ outcome: chosen })}
      />
      {needsReason ? (
        <ReasonFields
          moderationCase={moderationCase}
          draft={draft}
          onChange={onChange}
          problems={problems}
          now={now}
        />
      ) : null}
      <ImagesField moderationCase={moderationCase} draft={draft} onChange={onChange} />
      <TextField
        label={texts.note}
        hint={texts.noteHint}
        rows={2}
        maxLength={limits.moderationNoteMaxCodePoints}
        value={draft.note}
        onChange={({ target }) => onChange({ note: target.value })}
      />
      <Previews moderationCase={moderationCase} draft={draft} now={now} />
    </FormFrame>
  );
};
