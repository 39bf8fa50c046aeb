import { limits } from '@thaw/contract/limits';
import { reportCategorySchema, type ReportCategory } from '@thaw/contract/standing';
import { countCodePoints, normalizeText } from '@thaw/contract/text';
import { useEffect, useRef, useState } from 'react';
import { copy } from '@/features/safety/report/copy';
import { useReport } from '@/features/safety/hooks/use-report';
import { closeReportDialog, type ReportTarget } from '@/features/safety/stores/report-dialog.store';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { ChoiceGroup } from '@/ui/choice-group';
import { Modal } from '@/ui/modal';
import { TextArea } from '@/ui/text-area';

/** The counter is shown from this length on: shortly before the limit of 1,000 code points. */
const counterMinCodePoints = 900;

const choices = reportCategorySchema.options.map((value) => ({
  value,
  label: copy.categories[value],
}));

/** Shown after a report of self-harm: whom to call if someone is in danger. */
const DangerHint = () => {
  const closeButton = useRef<HTMLButtonElement>(null);
  useEffect(() => closeButton.current?.focus(), []);
  return (
    <>
      <p role="alert" className="mt-4 text-md">
        {copy.inDanger}
      </p>
      <Button ref={closeButton} className="mt-6" onClick={closeReportDialog}>
        {copy.close}
      </Button>
    </>
  );
};

interface ReportFormProps {
  name: string;
  /** Whether the user has already blocked the person. */
  isBlocked: boolean;
  isPending: boolean;
  onSend: ReturnType<typeof useReport>['send'];
}

const ReportForm = ({ name, isBlocked, isPending, onSend }: ReportFormProps) => {
  const [category, setCategory] = useState<ReportCategory>();
  const [words, setWords] = useState('');
  const [alsoBlock, setAlsoBlock] = useState(true);
  const isTooLong = countCodePoints(normalizeText(words)) > limits.reportWordsMaxCodePoints;
  return (
    <form
      className="mt-3 grid gap-3"
      // `Modal` asks before it closes over unsaved input.
      data-unsaved={words.trim() !== '' && !isPending}
      onSubmit={(event) => {
        event.preventDefault();
        if (category) onSend({ category, words, alsoBlock: alsoBlock && !isBlocked });
      }}
    >
      <ChoiceGroup
        legend={copy.choose}
        isLegendHidden
        look="rows"
        value={category}
        choices={choices}
        onChoose={(chosen) => {
          // `ChoiceGroup` cannot be disabled.
          if (!isPending) setCategory(chosen);
        }}
      />
      <TextArea
        label={copy.words}
        value={words}
        onChange={setWords}
        rows={2}
        maxCodePoints={limits.reportWordsMaxCodePoints}
        counterMinCodePoints={counterMinCodePoints}
        formatCount={copy.count}
        isDisabled={isPending}
      />
      {isBlocked ? null : (
        <Checkbox
          label={copy.alsoBlock(name)}
          isChecked={alsoBlock}
          onChange={setAlsoBlock}
          isDisabled={isPending}
        />
      )}
      <p className="text-sm text-muted-foreground">{copy.note}</p>
      <div className="mt-2 flex flex-wrap gap-3">
        <Button type="submit" disabled={category === undefined || isTooLong || isPending}>
          {isPending ? copy.pending : copy.send}
        </Button>
        <Button variant="ghost" disabled={isPending} onClick={closeReportDialog}>
          {copy.cancel}
        </Button>
      </div>
    </form>
  );
};

export interface ReportDialogProps {
  userId: number;
  target: ReportTarget;
  isBlocked: boolean;
}

/** Reports a person to the moderators, and blocks them unless the user declines. */
export const ReportDialog = ({ userId, target, isBlocked }: ReportDialogProps) => {
  const { isPending, isSent, send } = useReport(userId, target);
  const { username } = target.person;
  return (
    <Modal
      isOpen
      title={copy.title(username)}
      {...(isSent ? {} : { description: copy.lead(username) })}
      onDismiss={closeReportDialog}
      isLocked={isPending}
    >
      {/* Still open after sending: the report was about self-harm. `useReport` closes the dialog after any other. */}
      {isSent ? (
        <DangerHint />
      ) : (
        <ReportForm name={username} isBlocked={isBlocked} isPending={isPending} onSend={send} />
      )}
    </Modal>
  );
};
