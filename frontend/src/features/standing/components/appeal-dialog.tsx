import { limits } from '@thaw/contract/limits';
import { fileAppealSchema, type Notice } from '@thaw/contract/safety';
import { useEffect, useRef, useState } from 'react';
import { copy } from '@/features/standing/copy';
import { useAppeal } from '@/features/standing/hooks/use-appeal';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';
import { TextArea } from '@/ui/text-area';

/** Length, in code points, from which the counter is shown: slightly less than `limits.appealWordsMaxCodePoints`. */
const counterMinCodePoints = 1_900;

const isValidAppeal = (text: string): boolean => fileAppealSchema.shape.words.safeParse(text).success;

const AppealSent = ({ onDismiss }: { onDismiss: () => void }) => {
  const closeButton = useRef<HTMLButtonElement>(null);
  useEffect(() => closeButton.current?.focus(), []);
  return (
    <>
      <p role="status" className="mt-4 text-md">
        {copy.appeal.underReview}
      </p>
      <Button ref={closeButton} className="mt-6" onClick={onDismiss}>
        {copy.appeal.close}
      </Button>
    </>
  );
};

export interface AppealDialogProps {
  userId: number;
  notice: Notice;
  onDismiss: () => void;
}

/** Dialog for an appeal against the decision of a notice. */
export const AppealDialog = ({ userId, notice, onDismiss }: AppealDialogProps) => {
  const [text, setText] = useState('');
  const { isPending, isSent, send } = useAppeal(userId, notice);
  return (
    <Modal isOpen title={copy.appeal.title} onDismiss={onDismiss} isLocked={isPending}>
      {isSent ? (
        <AppealSent onDismiss={onDismiss} />
      ) : (
        <form
          className="mt-4"
          // `Modal` asks before it closes over unsaved input.
          data-unsaved={text.trim() !== '' && !isPending}
          onSubmit={(event) => {
            event.preventDefault();
            send(text);
          }}
        >
          <TextArea
            label={copy.appeal.wordsLabel}
            value={text}
            onChange={setText}
            rows={6}
            maxCodePoints={limits.appealWordsMaxCodePoints}
            counterMinCodePoints={counterMinCodePoints}
            formatCount={copy.appeal.count}
            isDisabled={isPending}
          />
          <div className="mt-6 flex flex-wrap gap-3">
            <Button type="submit" disabled={isPending || !isValidAppeal(text)}>
              {isPending ? copy.appeal.pending : copy.appeal.send}
            </Button>
            <Button variant="ghost" disabled={isPending} onClick={onDismiss}>
              {copy.appeal.cancel}
            </Button>
          </div>
        </form>
      )}
    </Modal>
  );
};
