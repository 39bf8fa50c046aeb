import { withImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import { codePointLength, normalizeText } from '@thaw/contract/text';
import { ArrowUp, Check } from 'lucide-react';
import { useEffect, useId, useImperativeHandle, useLayoutEffect, useRef, useState, type Ref } from 'react';
import { type Outgoing, type Returned } from '@/chat-ui/chat-message';
import {
  AttachButton,
  AttachmentPreview,
  type ComposerTask,
  TaskBanner,
  toolClass,
} from '@/chat-ui/composer-parts';
import { copy } from '@/chat-ui/copy';
import { EmojiPicker } from '@/chat-ui/emoji-picker';
import { contentOf } from '@/chat-ui/message-content';
import { useAttachment } from '@/chat-ui/use-attachment';
import { cn } from '@/lib/class-names';

export interface ComposerHandle {
  attach: (file: File) => void;
  focus: () => void;
}

export interface ComposerProps {
  ref?: Ref<ComposerHandle>;
  /** True when it was taken; otherwise it stays. */
  onSend: (outgoing: Pick<Outgoing, 'content' | 'type'>) => boolean;
  /** True when the edit was taken. */
  onSave?: ((newContent: string) => boolean) | undefined;
  task?: ComposerTask | null | undefined;
  onCancelTask?: (() => void) | undefined;
  onType?: (() => void) | undefined;
  /** Stores a picture and answers its address; without it nothing can be attached. */
  upload?: ((file: File) => Promise<string>) | undefined;
  /** Asked before a picture is uploaded. */
  isAbleToSend?: (() => boolean) | undefined;
  pickerEmojis?: readonly string[] | undefined;
  draft?: { initial: string; onChange: (text: string) => void } | undefined;
  /** A quiet line above the field. */
  notice?: string | null | undefined;
  /** Subscribes to what comes back; a text is put before what stands there. */
  onReturned?: ((take: (returned: Returned) => void) => () => void) | undefined;
}

const maximumHeightPx = 168;

const imageIn = (data: DataTransfer): File | undefined => [...data.files][0];

/** Grows from one line to six. Enter sends, Shift+Enter breaks, and Enter that ends a composition does neither. */
export const Composer = ({
  ref,
  onSend,
  onSave,
  task = null,
  onCancelTask,
  onType,
  upload,
  isAbleToSend,
  pickerEmojis,
  draft,
  notice,
  onReturned,
}: ComposerProps) => {
  const [text, setText] = useState(draft?.initial ?? '');
  const picture = useAttachment(upload);
  const { attachment, isUploading } = picture;
  const field = useRef<HTMLTextAreaElement>(null);
  const noticeId = useId();
  const countId = useId();

  // While a message is edited its text stands in the field, and the one begun before waits.
  const editing = task?.kind === 'edit' ? task.message : null;
  const [edited, setEdited] = useState<{ id: string; text: string } | null>(null);
  if (editing && edited?.id !== editing.id) setEdited({ id: editing.id, text: contentOf(editing).text });
  if (!editing && edited) setEdited(null);
  const shown = editing ? (edited?.text ?? '') : text;

  const keep = draft?.onChange;
  const change = (next: string): void => {
    if (editing) return setEdited({ id: editing.id, text: next });
    setText(next);
    keep?.(next);
  };

  const latest = useRef({ text, keep, takeBack: picture.takeBack });
  useEffect(() => {
    latest.current = { text, keep, takeBack: picture.takeBack };
  });
  useEffect(
    () =>
      onReturned?.((back) => {
        const { text: said, imageUrls } = contentOf(back);
        const next = [said, latest.current.text].filter(Boolean).join('\n');
        setText(next);
        latest.current.keep?.(next);
        const [url] = imageUrls;
        if (url !== undefined) latest.current.takeBack(url);
      }),
    [onReturned],
  );

  // Ready to write at once; a phone would raise its keyboard over the first message.
  useEffect(() => {
    const hasKeyboard = matchMedia('(hover: hover) and (pointer: fine)').matches;
    if (hasKeyboard && document.activeElement === document.body) field.current?.focus();
  }, []);

  // Reply and Edit were pressed to write.
  const taskKey = task && `${task.kind} ${task.message.key}`;
  useEffect(() => {
    if (!taskKey) return;
    // A dialog that has just closed gives the focus back first.
    const frame = requestAnimationFrame(() => {
      const area = field.current;
      area?.focus();
      area?.setSelectionRange(area.value.length, area.value.length);
    });
    return () => cancelAnimationFrame(frame);
  }, [taskKey]);

  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, maximumHeightPx)}px`;
  }, [shown]);

  const attach = (file: File): void => {
    if (!upload || editing || isUploading) return;
    if (picture.attach(file)) field.current?.focus();
  };
  useImperativeHandle(ref, () => ({ attach, focus: () => field.current?.focus() }));

  const content = normalizeText(shown);
  const length = codePointLength(content);
  const isTooLong = length > limits.messageMaxCodePoints;
  const hasAttachment = !editing && attachment !== null;
  const canSend = (length > 0 || hasAttachment) && !isTooLong && !isUploading;
  const showsCount = length >= limits.messageCounterFromCodePoints;

  const clear = (): void => {
    setText('');
    keep?.('');
  };

  const sendImage = (url: string): void => {
    const taken = onSend(
      content === ''
        ? { content: url, type: 'image' }
        : { content: withImageMarkers({ text: content, imageUrls: [url] }), type: 'mixed' },
    );
    if (!taken) return picture.keepStored(url);
    clear();
    picture.detach();
  };

  const send = (): void => {
    if (!canSend) return;
    if (editing) {
      if (onSave?.(content)) onCancelTask?.();
    } else if (attachment?.url) {
      sendImage(attachment.url);
    } else if (attachment) {
      if (isAbleToSend?.() !== false) void picture.store(sendImage);
    } else if (onSend({ content, type: 'text' })) {
      clear();
    }
    field.current?.focus();
  };

  const insert = (emoji: string): void => {
    const area = field.current;
    const start = area?.selectionStart ?? shown.length;
    const end = area?.selectionEnd ?? shown.length;
    change(shown.slice(0, start) + emoji + shown.slice(end));
    onType?.();
    requestAnimationFrame(() => area?.setSelectionRange(start + emoji.length, start + emoji.length));
  };

  return (
    <form
      className="mx-auto w-full max-w-4xl px-3 pb-[max(0.75rem,env(safe-area-inset-bottom))] md:px-6 md:pb-6"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        // The last thing begun is given up first; the chat itself only when nothing is left (B13).
        if (event.key !== 'Escape' || event.nativeEvent.isComposing || !task) return;
        event.stopPropagation();
        onCancelTask?.();
      }}
    >
      <div className="flex min-h-5 items-center justify-between gap-4 px-3 pb-1 text-sm">
        <p id={noticeId} role="status" className="text-warning">
          {notice ? <span className="enter-rise inline-block">{notice}</span> : null}
        </p>
        {showsCount ? (
          <p
            id={countId}
            className={cn(
              'tabular-nums',
              isTooLong ? 'font-semibold text-destructive' : 'text-muted-foreground',
            )}
          >
            {copy.composer.count(length, limits.messageMaxCodePoints)}
          </p>
        ) : null}
      </div>
      <div className="rounded-sheet border border-input bg-background p-1 transition-colors focus-within:border-primary">
        {task ? <TaskBanner task={task} onCancel={() => onCancelTask?.()} /> : null}
        {hasAttachment ? (
          <AttachmentPreview
            attachment={attachment}
            isUploading={isUploading}
            onRemove={() => {
              picture.detach();
              field.current?.focus();
            }}
          />
        ) : null}
        <div className="flex items-end">
          {upload && !editing ? <AttachButton isDisabled={isUploading} onChoose={attach} /> : null}
          <textarea
            ref={field}
            dir="auto"
            rows={1}
            value={shown}
            readOnly={isUploading}
            aria-label={copy.composer.label}
            aria-describedby={cn(notice && noticeId, showsCount && countId) || undefined}
            aria-invalid={isTooLong || undefined}
            placeholder={hasAttachment ? copy.composer.captionPlaceholder : copy.composer.placeholder}
            enterKeyHint="send"
            className="max-h-42 min-h-11 w-full min-w-0 flex-1 resize-none bg-transparent px-3 py-2.5 text-md outline-none placeholder:text-muted-foreground md:pointer-fine:text-chat"
            onChange={(event) => {
              change(event.target.value);
              if (event.target.value.trim() !== '') onType?.();
            }}
            onPaste={(event) => {
              const file = imageIn(event.clipboardData);
              // Word processors put a picture of the text beside the text.
              if (!file || event.clipboardData.types.includes('text/plain')) return;
              event.preventDefault();
              attach(file);
            }}
            onKeyDown={(event) => {
              // 229: Safari reports the Enter that ends a composition after the composition.
              const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
              if (event.key !== 'Enter' || event.shiftKey || isComposing) return;
              event.preventDefault();
              send();
            }}
          />
          {pickerEmojis ? (
            <EmojiPicker
              emojis={pickerEmojis}
              className={toolClass}
              onChoose={insert}
              onChosen={() => field.current?.focus()}
            />
          ) : null}
          <button
            type="submit"
            aria-label={editing ? copy.composer.save : copy.composer.send}
            disabled={!canSend}
            className={cn(
              'grid size-11 shrink-0 place-items-center rounded-full transition-[background-color,color,transform] duration-150',
              canSend
                ? 'bg-primary text-primary-foreground active:scale-95'
                : 'bg-raised text-muted-foreground opacity-60',
            )}
          >
            {editing ? (
              <Check className="size-5" aria-hidden="true" />
            ) : (
              <ArrowUp className="size-5" aria-hidden="true" />
            )}
          </button>
        </div>
      </div>
    </form>
  );
};
