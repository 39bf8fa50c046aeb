import { limits } from '@thaw/contract/limits';
import { caseOutcomeSchema, type ModerationCase } from '@thaw/contract/moderation';
import { houseRuleSchema, reportCategorySchema, type HouseRule } from '@thaw/contract/standing';
import { useState } from 'react';
import { decideCase } from '@/features/moderation/api/calls';
import { Choices, SelectField, TextField } from '@/features/moderation/components/form-fields';
import { FormFrame } from '@/features/moderation/components/form-frame';
import { Quiet } from '@/features/moderation/components/parts';
import { NoticePreview, Preview } from '@/features/moderation/components/preview';
import { UntilField } from '@/features/moderation/components/until-field';
import { copy } from '@/features/moderation/copy';
import {
  buildFacts,
  countCharacters,
  findTimeOfIncident,
  toDecision,
  withRule,
  type CaseDraft,
  type Problem,
} from '@/features/moderation/decision/case-draft';
import { buildDecisionNotice, reportNotice } from '@/features/moderation/decision/decided-notice';
import { useNow } from '@/features/moderation/hooks/use-now';
import { ruleTitles } from '@/product/rule-titles';
import { Button } from '@/ui/button';

const texts = copy.decide;

export interface FormProps {
  shown: ModerationCase;
  draft: CaseDraft;
  onChange: (changes: Partial<CaseDraft>) => void;
  onSubmit: (send: () => Promise<unknown>) => void;
  onCancel: () => void;
}

/** The message of a problem of the facts or of an answer. */
export const findFactsError = (problems: readonly Problem[]): string | undefined =>
  problems.includes('short')
    ? texts.factsShort(limits.factsMinCodePoints)
    : problems.includes('long')
      ? texts.factsLong(limits.factsMaxCodePoints)
      : undefined;

const FactsField = ({
  shown,
  draft,
  onChange,
  error,
}: Pick<FormProps, 'shown' | 'draft' | 'onChange'> & { error: string | undefined }) => {
  const { rule, facts } = draft;
  const template = rule && buildFacts(rule, findTimeOfIncident(shown));
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

const ImagesField = ({ shown, draft, onChange }: Pick<FormProps, 'shown' | 'draft' | 'onChange'>) => {
  const ids = [
    ...new Set(
      shown.evidence.flatMap(({ messages }) =>
        messages
          .filter(({ senderId }) => senderId === shown.userId)
          .flatMap(({ images }) => images.map(({ imageId }) => imageId)),
      ),
    ),
  ];
  if (ids.length === 0) return null;
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
        {ids.map((imageId) => (
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

const Previews = ({ shown, draft, now }: { shown: ModerationCase; draft: CaseDraft; now: number }) => {
  const { outcome } = draft;
  if (outcome === null) return null;
  const notice = buildDecisionNotice(shown, draft, now);
  const category = reportCategorySchema.options.find((each) =>
    shown.reports.some((report) => report.category === each),
  );
  return (
    <>
      <Preview label={texts.preview}>
        {notice ? <NoticePreview notice={notice} /> : <Quiet>{texts.noNotice}</Quiet>}
        {outcome === 'banned' ? <Quiet>{texts.banNote}</Quiet> : null}
      </Preview>
      {category ? (
        <Preview label={texts.previewReporter}>
          <NoticePreview notice={reportNotice(category, outcome, now)} />
        </Preview>
      ) : null}
    </>
  );
};

/** The decision of a case about reports or a finding. */
export const DecideForm = ({ shown, draft, onChange, onSubmit, onCancel }: FormProps) => {
  const now = useNow();
  const [isChecked, setChecked] = useState(false);
  const { outcome, rule } = draft;
  const problems = isChecked ? (toDecision(draft, shown.version, now).problems ?? []) : [];
  const isSanction = outcome !== null && outcome !== 'dismissed';
  const submit = (): void => {
    setChecked(true);
    const { body } = toDecision(draft, shown.version, Date.now());
    if (body) onSubmit(() => decideCase(shown.id, body));
  };
  return (
    <FormFrame
      caseId={shown.id}
      title={texts.title}
      submitLabel={outcome && texts.submit[outcome]}
      isDestructive={outcome === 'banned' || outcome === 'suspended'}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <Choices
        legend={texts.outcome}
        isFirst
        value={outcome}
        options={caseOutcomeSchema.options.map((value) => ({ value, label: texts.outcomes[value] }))}
        onChoose={(chosen) => onChange({ outcome: chosen })}
      />
      {isSanction ? (
        <>
          <SelectField
            label={texts.rule}
            value={rule ?? ''}
            error={problems.includes('rule') ? texts.needsRule : undefined}
            onChange={({ target }) =>
              onChange(withRule(draft, target.value as HouseRule, findTimeOfIncident(shown)))
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
          <FactsField shown={shown} draft={draft} onChange={onChange} error={findFactsError(problems)} />
        </>
      ) : null}
      <ImagesField shown={shown} draft={draft} onChange={onChange} />
      <TextField
        label={texts.note}
        hint={texts.noteHint}
        rows={2}
        maxLength={limits.moderationNoteMaxCodePoints}
        value={draft.note}
        onChange={({ target }) => onChange({ note: target.value })}
      />
      <Previews shown={shown} draft={draft} now={now} />
    </FormFrame>
  );
};
