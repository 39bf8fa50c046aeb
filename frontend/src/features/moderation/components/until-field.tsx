import { limits } from '@thaw/contract/limits';
import { Choices, DateTimeField } from '@/features/moderation/components/form-fields';
import { copy } from '@/features/moderation/copy';
import { durations, type CaseDraft } from '@/features/moderation/decision/case-draft';

/** Formats a time in ms since the epoch as the value of an `<input type="datetime-local">`. */
const toLocalInput = (time: number): string => {
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
};

export interface UntilFieldProps {
  legend: string;
  draft: CaseDraft;
  onChange: (changes: Partial<CaseDraft>) => void;
  now: number;
  error: string | undefined;
}

/** The end of a sanction: a usual length, or a day and time. */
export const UntilField = ({ legend, draft, onChange, now, error }: UntilFieldProps) => (
  <div className="grid gap-3">
    <Choices
      legend={legend}
      value={draft.duration}
      options={durations.map((value) => ({ value, label: copy.decide.durations[value] }))}
      onChoose={(duration) => onChange({ duration })}
    />
    {draft.duration === 'custom' ? (
      <DateTimeField
        label={copy.decide.customUntil}
        value={draft.customUntil}
        min={toLocalInput(now + limits.suspensionMinMs)}
        max={toLocalInput(now + limits.suspensionMaxMs)}
        error={error}
        onChange={({ target }) => onChange({ customUntil: target.value })}
      />
    ) : null}
  </div>
);
