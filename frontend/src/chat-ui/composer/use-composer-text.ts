import { useRef, useState } from 'react';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';
import { parseContent } from '@/chat-ui/message-content';

/**
 * The text in the field. It is the unsent text of a new message; during an edit it is the text of the edited message,
 * and the unsent text is kept until the edit ends.
 */
export const useComposerText = (
  initial: string,
  task: ComposerTask | null,
  onChange: (text: string) => void,
) => {
  const [text, setText] = useState(initial);
  // A ref, because the outbox, which sends messages, may return several unsent ones before the component renders.
  const unsentText = useRef(initial);
  /** The texts that the outbox has returned and that are still at the front of the field. The next one follows them. */
  const returnedTexts = useRef('');
  const setUnsentText = (next: string): void => {
    unsentText.current = next;
    setText(next);
    onChange(next);
  };

  const editing = task?.kind === 'edit' ? task : null;
  const [edited, setEdited] = useState<{ messageId: string; text: string } | null>(null);
  // State is set during rendering, so that the field never shows the text of another task.
  if (editing && edited?.messageId !== editing.message.id) {
    setEdited({
      messageId: editing.message.id,
      // `editing.text` is the new text of an earlier edit that could not be saved.
      text: editing.text ?? parseContent(editing.message).text,
    });
  }
  if (!editing && edited) setEdited(null);

  return {
    shownText: editing ? (edited?.text ?? '') : text,
    change: (next: string): void =>
      editing ? setEdited({ messageId: editing.message.id, text: next }) : setUnsentText(next),
    /** Whether there is no unsent text. */
    isEmpty: (): boolean => unsentText.current === '',
    /** Clears the unsent text. */
    clear: (): void => {
      returnedTexts.current = '';
      setUnsentText('');
    },
    /** Puts a returned text into the field: after earlier returned texts, and before what the user has typed. */
    takeBack: (text: string): void => {
      // The user may have changed the returned texts: then nothing in the field counts as returned.
      const isUnchanged = unsentText.current.startsWith(returnedTexts.current);
      const earlierTexts = isUnchanged ? returnedTexts.current : '';
      // The line break between the returned texts and the user's own text belongs to neither.
      const ownText = unsentText.current.slice(earlierTexts.length).replace(/^\n/, '');
      returnedTexts.current = [earlierTexts, text].filter(Boolean).join('\n');
      setUnsentText([returnedTexts.current, ownText].filter(Boolean).join('\n'));
    },
    /** Shows the new text of the draft after another tab has changed it. */
    replace: setUnsentText,
  };
};
