import { copy } from '@/features/suggestions/copy';
import { type ModelChoice } from '@/features/suggestions/stores/model.store';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';

export interface ModelQuestionProps {
  host: string;
  /** Receives 'model' if the user agrees, otherwise 'page': the suggestions are then prepared ones of this page. */
  onChoose: (choice: ModelChoice) => void;
  onDismiss: () => void;
}

/** Asks for the user's consent to send their own messages to the host of the language model. */
export const ModelQuestion = ({ host, onChoose, onDismiss }: ModelQuestionProps) => (
  <Modal
    isOpen
    title={copy.question.title(host)}
    description={copy.question.lead(host)}
    onDismiss={onDismiss}
  >
    <div className="mt-6 flex flex-wrap gap-3">
      <Button onClick={() => onChoose('model')}>{copy.question.agree}</Button>
      <Button variant="ghost" onClick={() => onChoose('page')}>
        {copy.question.decline}
      </Button>
    </div>
  </Modal>
);
