import { useRef, useState } from 'react';
import { type ComposerTask } from '@/chat-ui/composer/composer-parts';
import { contentOf } from '@/chat-ui/message-content';

/** The text in the field. During an edit it is the edited message; the unsent text is kept aside. */
export const useComposerText = (
  initial: string,
  task: ComposerTask | null,
  onChange: (text: string) => void,
) => {
  const [text, setText] = useState(initial);
  // A ref, because several texts may be returned before the component renders.
  const unsentText = useRef(initial);
  /** Texts returned last, still at the front of the field: the next returned text goes after them. */
  const returned = useRef('');
  const setUnsentText = (next: string): void => {
    unsentText.current = next;
    setText(next);
    onChange(next);
  };

  const editing = task?.kind === 'edit' ? task : null;
  const [edited, setEdited] = useState<{ of: ComposerTask; text: string } | null>(null);
  const isSameEdit = edited?.of.kind === 'edit' && edited.of.message.id === editing?.message.id;
  if (editing && !isSameEdit) {
    setEdited({ of: editing, text: editing.text ?? contentOf(editing.message).text });
  }
  if (!editing && edited) setEdited(null);

  return {
    shown: editing ? (edited?.text ?? '') : text,
    change: (next: string): void => (editing ? setEdited({ of: editing, text: next }) : setUnsentText(next)),
    isEmpty: (): boolean => unsentText.current === '',
    clear: (): void => {
      returned.current = '';
      setUnsentText('');
    },
    /** Inserts an unsent text at the front of the field, after earlier returned ones. */
    takeBack: (text: string): void => {
      const before = unsentText.current.startsWith(returned.current) ? returned.current : '';
      const rest = unsentText.current.slice(before.length).replace(/^\n/, '');
      returned.current = [before, text].filter(Boolean).join('\n');
      setUnsentText([returned.current, rest].filter(Boolean).join('\n'));
    },
    /** Called when another tab has changed the draft. */
    replace: setUnsentText,
  };
};
