import { useRef, useState } from 'react';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';
import { parseContent } from '@/chat-ui/message-content';

const joinLines = (...texts: string[]): string => texts.filter((text) => text !== '').join('\n');

/**
 * Splits a draft into the texts that the outbox has returned, at its beginning, and what the user has typed behind
 * them. If the user has changed the returned texts, the whole draft counts as typed.
 */
const splitDraft = (draft: string, returnedTexts: string): { returned: string; typed: string } => {
  const returned = draft.startsWith(returnedTexts) ? returnedTexts : '';
  // The line break between the two belongs to neither.
  const typed = draft.slice(returned.length).replace(/^\n/, '');
  return { returned, typed };
};

/**
 * The text in the field. It is the draft of a new message; during an edit it is the text of the edited message, and the
 * draft is kept until the edit ends.
 */
export const useComposerText = (
  initialDraft: string,
  task: ComposerTask | null,
  onDraftChange: (text: string) => void,
) => {
  const [shownDraft, setShownDraft] = useState(initialDraft);
  // A ref, because the outbox, which sends messages, may return several unsent ones before the component renders.
  const draft = useRef(initialDraft);
  /** The texts of returned messages at the beginning of the draft. The next one is inserted behind them. */
  const returnedTexts = useRef('');
  const changeDraft = (text: string): void => {
    draft.current = text;
    setShownDraft(text);
    onDraftChange(text);
  };

  const editTask = task?.kind === 'edit' ? task : null;
  const [edit, setEdit] = useState<{ messageId: string; text: string } | null>(null);
  // State is set during rendering, so that the field never shows the text of another task.
  if (editTask && edit?.messageId !== editTask.message.id) {
    setEdit({
      messageId: editTask.message.id,
      // `editTask.text` is the new text of an earlier edit that could not be saved.
      text: editTask.text ?? parseContent(editTask.message).text,
    });
  }
  if (!editTask && edit) setEdit(null);

  return {
    shownText: editTask ? (edit?.text ?? '') : shownDraft,
    /** Changes the shown text: that of the edit, or the draft. */
    change: (text: string): void => {
      if (editTask) setEdit({ messageId: editTask.message.id, text });
      else changeDraft(text);
    },
    /** Whether the draft is empty, also during an edit. */
    isEmpty: (): boolean => draft.current === '',
    /** Clears the draft. */
    clear: (): void => {
      returnedTexts.current = '';
      changeDraft('');
    },
    /** Inserts the text of a returned message into the draft: behind earlier ones, before what the user has typed. */
    takeBack: (text: string): void => {
      const { returned, typed } = splitDraft(draft.current, returnedTexts.current);
      returnedTexts.current = joinLines(returned, text);
      changeDraft(joinLines(returnedTexts.current, typed));
    },
    /** Shows the new text of the draft after another tab has changed it. */
    replace: changeDraft,
  };
};
