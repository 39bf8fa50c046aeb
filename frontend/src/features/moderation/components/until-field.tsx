import { limits } from '@thaw/contract/limits';
import { Choices, DateTimeField } from '@/features/moderation/components/form-fields';
import { copy } from '@/features/moderation/copy';
import { durations, type CaseDraft } from '@/features/moderation/decision/case-draft';

const minuteMs = 60_000;

/** Formats a time in ms since the epoch as the value of an `<input type="datetime-local">`: YYYY-MM-DDTHH:mm. */
const toLocalInputValue = (timeMs: number): string => {
  // Shifted by the offset of the time zone, so that `toISOString`, which formats UTC, yields the local time.
  const shifted = new Date(timeMs - new Date(timeMs).getTimezoneOffset() * minuteMs);
  return shifted.toISOString().slice(0, 'YYYY-MM-DDTHH:mm'.length);
};

export interface UntilFieldProps {
  legend: string;
  draft: CaseDraft;
  onChange: (changes: Partial<CaseDraft>) => void;
  /** In ms since the epoch. */
  now: number;
  error: string | undefined;
}

/** Chooses the end of a suspension: one of the usual lengths, or a date and time. */
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
        min={toLocalInputValue(now + limits.suspensionMinMs)}
        max={toLocalInputValue(now + limits.suspensionMaxMs)}
        error={error}
        onChange={({ target }) => onChange({ customUntil: target.value })}
      />
    ) : null}
  </div>
);
