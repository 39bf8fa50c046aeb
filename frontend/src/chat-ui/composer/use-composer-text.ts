import { useRef, useState } from 'react';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';
import { parseContent } from '@/chat-ui/message-content';

/** The text in the field: during an edit that of the edited message, otherwise the unsent text, which an edit keeps. */
export const useComposerText = (
  initial: string,
  task: ComposerTask | null,
  onChange: (text: string) => void,
) => {
  const [text, setText] = useState(initial);
  // A ref, because several texts may be returned before the component renders.
  const unsentText = useRef(initial);
  /** Texts that the outbox has returned and that are still at the front of the field. The next one goes after them. */
  const returnedTexts = useRef('');
  const setUnsentText = (next: string): void => {
    unsentText.current = next;
    setText(next);
    onChange(next);
  };

  const editing = task?.kind === 'edit' ? task : null;
  const [edited, setEdited] = useState<{ messageId: string; text: string } | null>(null);
  if (editing && edited?.messageId !== editing.message.id) {
    setEdited({
      messageId: editing.message.id,
      text: editing.text ?? parseContent(editing.message).text,
    });
  }
  if (!editing && edited) setEdited(null);

  return {
    shown: editing ? (edited?.text ?? '') : text,
    change: (next: string): void =>
      editing ? setEdited({ messageId: editing.message.id, text: next }) : setUnsentText(next),
    isEmpty: (): boolean => unsentText.current === '',
    clear: (): void => {
      returnedTexts.current = '';
      setUnsentText('');
    },
    /** Inserts an unsent text at the front of the field, after earlier returned ones. */
    takeBack: (text: string): void => {
      // The user may have changed the returned texts: then nothing in the field counts as returned.
      const isUnchanged = unsentText.current.startsWith(returnedTexts.current);
      const before = isUnchanged ? returnedTexts.current : '';
      const rest = unsentText.current.slice(before.length).replace(/^\n/, '');
      returnedTexts.current = [before, text].filter(Boolean).join('\n');
      setUnsentText([returnedTexts.current, rest].filter(Boolean).join('\n'));
    },
    /** Called when another tab has changed the draft. */
    replace: setUnsentText,
  };
};
