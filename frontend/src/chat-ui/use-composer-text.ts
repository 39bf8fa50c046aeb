import { useRef, useState } from 'react';
import { type ComposerTask } from '@/chat-ui/composer-parts';
import { contentOf } from '@/chat-ui/message-content';

/** The text in the field. While a message is edited its text stands there, and the one begun before waits. */
export const useComposerText = (
  initial: string,
  task: ComposerTask | null,
  onChange: (text: string) => void,
) => {
  const [text, setText] = useState(initial);
  // Several texts may come back in one turn, before the component renders.
  const present = useRef(initial);
  /** What came back last and still stands in front: what comes back next follows it. */
  const returned = useRef('');
  const put = (next: string): void => {
    present.current = next;
    setText(next);
    onChange(next);
  };

  const editing = task?.kind === 'edit' ? task : null;
  const [edited, setEdited] = useState<{ of: ComposerTask; text: string } | null>(null);
  const isSame = edited?.of.kind === 'edit' && edited.of.message.id === editing?.message.id;
  if (editing && !isSame) {
    setEdited({ of: editing, text: editing.text ?? contentOf(editing.message).text });
  }
  if (!editing && edited) setEdited(null);

  return {
    shown: editing ? (edited?.text ?? '') : text,
    change: (next: string): void => (editing ? setEdited({ of: editing, text: next }) : put(next)),
    isEmpty: (): boolean => present.current === '',
    clear: (): void => {
      returned.current = '';
      put('');
    },
    /** Puts a text that was not sent before what stands in the field, in the order of writing. */
    takeBack: (text: string): void => {
      const before = present.current.startsWith(returned.current) ? returned.current : '';
      const rest = present.current.slice(before.length).replace(/^\n/, '');
      returned.current = [before, text].filter(Boolean).join('\n');
      put([returned.current, rest].filter(Boolean).join('\n'));
    },
    /** Another tab has changed the draft. */
    replace: put,
  };
};
