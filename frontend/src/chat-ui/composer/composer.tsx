import { limits } from '@thaw/contract/limits';
import { countCodePoints, normalizeText } from '@thaw/contract/text';
import { ArrowUp, Check, CornerDownLeft } from 'lucide-react';
import {
  useId,
  useImperativeHandle,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
} from 'react';
import { flushSync } from 'react-dom';
import { type Outgoing, type ReturnedMessage } from '@/chat-ui/chat-message';
import {
  AttachButton,
  AttachmentPreview,
  type ComposerTask,
  Ideas,
  TaskBanner,
  toolClass,
} from '@/chat-ui/composer/composer-parts';
import { copy } from '@/chat-ui/copy';
import { EmojiPicker } from '@/chat-ui/composer/emoji-picker';
import { type ComposerIdeasProps, type RenderIdeas } from '@/chat-ui/composer/ideas';
import { useAttachment } from '@/chat-ui/composer/use-attachment';
import { useComposerFocus } from '@/chat-ui/composer/use-composer-focus';
import { useComposerText } from '@/chat-ui/composer/use-composer-text';
import { useFieldHeight } from '@/chat-ui/composer/use-field-height';
import { cn } from '@/lib/class-names';
import { pageLimits } from '@/lib/page-limits';

/** The part of a conversation's draft that the composer edits. */
export interface ComposerDraft {
  text: string;
  hasPicture: boolean;
}

export interface ComposerHandle {
  attach: (file: File) => void;
  focus: () => void;
  /**
   * Puts an unsent message back into the composer, with its text before the current text.
   * @returns false, and changes nothing, if the message has a picture and the composer already has a text, a picture or
   * a task (a reply or an edit)
   */
  takeBack: (returned: Pick<ReturnedMessage, 'text' | 'attachment'>) => boolean;
  /** Shows the new text of the draft after another tab has changed it. */
  replaceText: (text: string) => void;
}

export interface ComposerProps {
  ref?: Ref<ComposerHandle>;
  /** @returns whether the message was accepted; otherwise it stays in the composer */
  onSend: (outgoing: Pick<Outgoing, 'text' | 'attachment'>) => boolean;
  /** @returns whether the edit was accepted; otherwise it stays open */
  onSave?: ((newContent: string) => boolean) | undefined;
  /** The reply or the edit in progress. */
  task?: ComposerTask | null | undefined;
  /** Called when the user cancels the task, and when an edit is saved. `onSend` itself ends a reply. */
  onEndTask?: (() => void) | undefined;
  onType?: (() => void) | undefined;
  /** Called on Arrow Up in an empty field, to edit the user's last message. */
  onEditLast?: (() => void) | undefined;
  canAttach?: boolean | undefined;
  /** If absent, there is no emoji picker. */
  pickerEmojis?: readonly string[] | undefined;
  /** Renders ideas for what to write. */
  renderIdeas?: RenderIdeas<ComposerIdeasProps> | undefined;
  draft?: { initial: ComposerDraft; onChange: (changes: Partial<ComposerDraft>) => void } | undefined;
  /** An unobtrusive line above the field. */
  notice?: string | null | undefined;
}

const getFirstFile = (data: DataTransfer): File | undefined => [...data.files][0];

const CharacterCount = ({ id, length, isTooLong }: { id: string; length: number; isTooLong: boolean }) => (
  <p
    id={id}
    className={cn('tabular-nums', isTooLong ? 'font-semibold text-destructive' : 'text-muted-foreground')}
  >
    {copy.composer.characterCount(length, limits.messageMaxCodePoints)}
  </p>
);

/** CSS shows it on touch screens only, whose keyboards have no Shift+Enter. */
const NewLineButton = ({ onClick }: { onClick: () => void }) => (
  <button
    type="button"
    className="relative hidden items-center gap-1 font-semibold text-muted-foreground after:absolute after:-inset-x-3 after:-inset-y-2 [@media(pointer:coarse)]:inline-flex"
    // Keeps the focus in the field, so that the keyboard of a phone stays open.
    onPointerDown={(event) => event.preventDefault()}
    onClick={onClick}
  >
    <CornerDownLeft aria-hidden="true" className="size-3.5" />
    {copy.composer.newLine}
  </button>
);

const SubmitButton = ({ isEditing, canSubmit }: { isEditing: boolean; canSubmit: boolean }) => (
  <button
    type="submit"
    aria-label={isEditing ? copy.composer.save : copy.composer.send}
    disabled={!canSubmit}
    className={cn(
      'grid size-11 shrink-0 place-items-center rounded-full transition-[background-color,color,transform] duration-150',
      canSubmit
        ? 'bg-primary text-primary-foreground active:scale-95'
        : 'bg-raised text-muted-foreground opacity-60',
    )}
  >
    {isEditing ? (
      <Check className="size-5" aria-hidden="true" />
    ) : (
      <ArrowUp className="size-5" aria-hidden="true" />
    )}
  </button>
);

/**
 * The form in which a user writes, replies and edits. Its field grows from one line to six. Enter sends and Shift+Enter
 * inserts a line break; an Enter that ends an IME composition does neither.
 */
export const Composer = ({
  ref,
  onSend,
  onSave,
  task = null,
  onEndTask,
  onType,
  onEditLast,
  canAttach = false,
  pickerEmojis,
  renderIdeas,
  draft,
  notice,
}: ComposerProps) => {
  const field = useRef<HTMLTextAreaElement>(null);
  const noticeId = useId();
  const countId = useId();
  // Drafts are stored without their picture, so a reload loses it.
  const [isPictureLost, setPictureLost] = useState(draft?.initial.hasPicture ?? false);
  const fieldText = useComposerText(draft?.initial.text ?? '', task, (text) => draft?.onChange({ text }));
  const picture = useAttachment((hasPicture) => {
    setPictureLost(false);
    draft?.onChange({ hasPicture });
  });
  const isEditing = task?.kind === 'edit';
  // During an edit, the field shows the edited text. The text and the picture of the draft return after the edit.
  const { shownText } = fieldText;
  const shownPicture = isEditing ? null : picture.attachment;
  useComposerFocus(field, task);
  useFieldHeight(field, shownText);

  const attach = (file: File): void => {
    if (canAttach && !isEditing && picture.attach(file)) field.current?.focus();
  };
  useImperativeHandle(ref, () => ({
    attach,
    focus: () => field.current?.focus(),
    takeBack: ({ text, attachment: returnedPicture }) => {
      // `isEmpty` is about the draft, even during an edit.
      const isInUse = task !== null || !fieldText.isEmpty() || !picture.isEmpty();
      if (returnedPicture && isInUse) return false;
      if (text !== '') fieldText.takeBack(text);
      if (returnedPicture) picture.takeBack(returnedPicture);
      return true;
    },
    replaceText: fieldText.replace,
  }));

  const content = normalizeText(shownText);
  const length = countCodePoints(content);
  const isTooLong = length > limits.messageMaxCodePoints;
  const canSubmit = (length > 0 || shownPicture !== null) && !isTooLong;
  const showsCount = length >= pageLimits.messageCounterFromCodePoints;
  const shownNotice = notice ?? (isPictureLost ? copy.composer.photoLost : null);
  const descriptionIds = [shownNotice && noticeId, showsCount && countId].filter(Boolean).join(' ');
  const hasRoomForIdeas = shownText === '' && !shownPicture && !isEditing && !shownNotice;

  const saveEdit = (): void => {
    if (onSave?.(content)) onEndTask?.();
  };

  const sendMessage = (): void => {
    if (!onSend({ text: content, attachment: shownPicture })) return;
    fieldText.clear();
    picture.handOver(); // to the outbox
  };

  const submit = (): void => {
    if (!canSubmit) return;
    if (isEditing) saveEdit();
    else sendMessage();
    field.current?.focus();
  };

  /** Inserts a text in place of the selection, if any, and puts the caret behind it. */
  const insertAtCaret = (inserted: string): void => {
    const area = field.current;
    const start = area?.selectionStart ?? shownText.length;
    const end = area?.selectionEnd ?? shownText.length;
    // Rendered at once, because the caret must be set after the rendering and before the user types on.
    flushSync(() => fieldText.change(shownText.slice(0, start) + inserted + shownText.slice(end)));
    onType?.();
    const caret = start + inserted.length;
    area?.setSelectionRange(caret, caret);
  };

  const insertIdea = (text: string): void => {
    insertAtCaret(text);
    field.current?.focus();
  };

  const cancelTaskOnEscape = (event: KeyboardEvent): void => {
    // Without a task, the page handles Escape and leaves the chat.
    if (event.key !== 'Escape' || event.nativeEvent.isComposing || !task) return;
    event.stopPropagation();
    onEndTask?.();
  };

  const handleFieldKeyDown = (event: KeyboardEvent): void => {
    // keyCode 229: Safari reports the Enter that ends a composition after the composition has ended.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === 'ArrowUp' && shownText === '' && !task) {
      event.preventDefault();
      onEditLast?.();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      submit();
    }
  };

  const attachPastedFile = (event: ClipboardEvent): void => {
    const file = getFirstFile(event.clipboardData);
    // Word processors put a picture of the text on the clipboard beside the text.
    if (!file || event.clipboardData.types.includes('text/plain')) return;
    event.preventDefault();
    attach(file);
  };

  return (
    <form
      className="mx-auto w-full max-w-4xl px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:px-6 md:pb-6"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={cancelTaskOnEscape}
    >
      <div className="flex min-h-5 items-center justify-between gap-4 px-3 pb-1 text-sm">
        <p id={noticeId} role="status" className="text-warning">
          {shownNotice ? <span className="enter-rise inline-block">{shownNotice}</span> : null}
        </p>
        {showsCount ? <CharacterCount id={countId} length={length} isTooLong={isTooLong} /> : null}
        {shownText === '' ? null : <NewLineButton onClick={() => insertAtCaret('\n')} />}
      </div>
      <div className="relative rounded-sheet border border-input bg-background p-1 transition-colors focus-within:border-primary">
        {task ? <TaskBanner task={task} onCancel={() => onEndTask?.()} /> : null}
        {shownPicture ? (
          <AttachmentPreview
            attachment={shownPicture}
            onRemove={() => {
              picture.remove();
              field.current?.focus();
            }}
          />
        ) : null}
        <div className="flex items-end">
          {canAttach && !isEditing ? <AttachButton onChoose={attach} /> : null}
          <textarea
            ref={field}
            dir="auto"
            rows={1}
            value={shownText}
            aria-label={copy.composer.label}
            aria-describedby={descriptionIds || undefined}
            aria-invalid={isTooLong || undefined}
            placeholder={shownPicture ? copy.composer.captionPlaceholder : copy.composer.placeholder}
            enterKeyHint="send"
            className="min-h-11 w-full min-w-0 flex-1 resize-none bg-transparent px-3 py-2.5 text-md outline-none placeholder:overflow-hidden placeholder:text-ellipsis placeholder:whitespace-nowrap placeholder:text-muted-foreground md:pointer-fine:text-chat"
            onChange={(event) => {
              fieldText.change(event.target.value);
              if (event.target.value.trim() !== '') onType?.();
            }}
            onPaste={attachPastedFile}
            onKeyDown={handleFieldKeyDown}
          />
          {renderIdeas ? (
            <Ideas
              render={renderIdeas}
              hasRoomForIdeas={hasRoomForIdeas}
              insert={insertIdea}
              buttonClass={toolClass}
            />
          ) : null}
          {pickerEmojis ? (
            <EmojiPicker
              emojis={pickerEmojis}
              buttonClass={toolClass}
              onChoose={insertAtCaret}
              onCloseAfterChoice={() => field.current?.focus()}
            />
          ) : null}
          <SubmitButton isEditing={isEditing} canSubmit={canSubmit} />
        </div>
      </div>
    </form>
  );
};
