import { withImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import { codePointLength, normalizeText } from '@thaw/contract/text';
import { ArrowUp, Check, ImagePlus, LoaderCircle, X } from 'lucide-react';
import {
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type Ref,
} from 'react';
import { type ChatMessage, type Outgoing, type Returned } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { EmojiPicker } from '@/chat-ui/emoji-picker';
import { contentOf, quoteInComposer } from '@/chat-ui/message-content';
import { cn } from '@/lib/class-names';

/** What the next text is for, besides being a message. */
export type ComposerTask =
  | { kind: 'reply'; message: ChatMessage; name: string; isMine: boolean }
  | { kind: 'edit'; message: ChatMessage };

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

/** A picture chosen, not sent yet. */
interface Attachment {
  previewUrl: string;
  file: File | null;
  /** Its address, once it is stored. */
  url: string | null;
}

const maximumHeightPx = 168;

const discard = (attachment: Attachment | null): void => {
  if (attachment?.file) URL.revokeObjectURL(attachment.previewUrl);
};

/** Only images of at most 5 MiB; all others are refused without a word to the person (specification §8, A95). */
const isAcceptable = (file: File): boolean => {
  const refusal = !file.type.startsWith('image/')
    ? `it is no image but ${file.type || 'of no known type'}`
    : file.size > limits.imageMaxBytes
      ? `${file.size} bytes are too many`
      : null;
  if (refusal) console.warn(`The file was not attached: ${refusal}`);
  return refusal === null;
};

const imageIn = (data: DataTransfer): File | undefined => [...data.files][0];

const Banner = ({
  title,
  onCancel,
  cancel,
  children,
}: {
  title: string;
  onCancel: () => void;
  cancel: string;
  children: ReactNode;
}) => (
  <div className="enter-rise flex items-center gap-2 py-1 pr-0 pl-3">
    <div className="relative min-w-0 flex-1 pl-3 before:absolute before:inset-y-0.5 before:left-0 before:w-[3px] before:rounded-full before:bg-primary">
      <p className="truncate text-sm font-semibold">{title}</p>
      <p className="truncate text-sm text-muted-foreground">{children}</p>
    </div>
    <button
      type="button"
      aria-label={cancel}
      onClick={onCancel}
      className="grid size-11 shrink-0 place-items-center rounded-full text-muted-foreground hover:bg-raised hover:text-foreground"
    >
      <X aria-hidden="true" className="size-4" />
    </button>
  </div>
);

const toolClass =
  'grid size-11 shrink-0 place-items-center rounded-full text-muted-foreground transition-colors hover:bg-raised hover:text-foreground disabled:pointer-events-none disabled:opacity-50';

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
  const [attachment, setAttachment] = useState<Attachment | null>(null);
  const [isUploading, setUploading] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
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

  const latest = useRef({ text, attachment, keep });
  useEffect(() => {
    latest.current = { text, attachment, keep };
  });
  useEffect(
    () =>
      onReturned?.((back) => {
        const { text: said, imageUrls } = contentOf(back);
        const next = [said, latest.current.text].filter(Boolean).join('\n');
        setText(next);
        latest.current.keep?.(next);
        const [url] = imageUrls;
        if (url !== undefined) setAttachment((now) => now ?? { previewUrl: url, file: null, url });
      }),
    [onReturned],
  );

  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
      discard(latest.current.attachment);
    };
  }, []);

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

  const attach = (file: File | undefined): void => {
    if (!upload || editing || isUploading || !file || !isAcceptable(file)) return;
    discard(attachment);
    setAttachment({ previewUrl: URL.createObjectURL(file), file, url: null });
    field.current?.focus();
  };
  const detach = (): void => {
    discard(attachment);
    setAttachment(null);
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
    if (!taken) return setAttachment((now) => now && { ...now, url });
    clear();
    detach();
  };

  const store = async (file: File): Promise<void> => {
    if (!upload || isAbleToSend?.() === false) return;
    setUploading(true);
    try {
      const url = await upload(file);
      // The chat it was meant for may be over.
      if (isHere.current) sendImage(url);
    } catch (error) {
      // Cancels the send without a word; the text stays (specification §8, A97).
      console.warn('The photo was not stored', error);
      if (isHere.current) detach();
    } finally {
      if (isHere.current) setUploading(false);
    }
  };

  const send = (): void => {
    if (!canSend) return;
    if (editing) {
      if (onSave?.(content)) onCancelTask?.();
    } else if (attachment?.url) {
      sendImage(attachment.url);
    } else if (attachment?.file) {
      void store(attachment.file);
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
        {task?.kind === 'reply' ? (
          <Banner
            title={task.isMine ? copy.composer.replyingToSelf : copy.composer.replyingTo(task.name)}
            cancel={copy.composer.cancelReply}
            onCancel={() => onCancelTask?.()}
          >
            {quoteInComposer(task.message)}
          </Banner>
        ) : null}
        {editing ? (
          <Banner
            title={copy.composer.editing}
            cancel={copy.composer.cancelEdit}
            onCancel={() => onCancelTask?.()}
          >
            {copy.composer.editHint}
          </Banner>
        ) : null}
        {hasAttachment ? (
          <div className="enter-rise flex items-center gap-3 p-2">
            <div className="relative size-20 shrink-0 overflow-hidden rounded-control bg-raised">
              <img
                src={attachment.previewUrl}
                alt={copy.message.yourPhoto}
                className={cn('size-full object-cover transition-opacity', isUploading && 'opacity-50')}
              />
              {isUploading ? (
                <LoaderCircle aria-hidden="true" className="absolute inset-0 m-auto size-6 animate-spin" />
              ) : null}
            </div>
            <p role="status" className="min-w-0 flex-1 truncate text-sm text-muted-foreground">
              {isUploading ? copy.composer.uploading : attachment.file?.name}
            </p>
            <button
              type="button"
              aria-label={copy.composer.removePhoto}
              disabled={isUploading}
              className={toolClass}
              onClick={() => {
                detach();
                field.current?.focus();
              }}
            >
              <X aria-hidden="true" className="size-4" />
            </button>
          </div>
        ) : null}
        <div className="flex items-end">
          {upload && !editing ? (
            <>
              <button
                type="button"
                aria-label={copy.composer.attach}
                disabled={isUploading}
                className={toolClass}
                onClick={() => chooser.current?.click()}
              >
                <ImagePlus aria-hidden="true" className="size-5" />
              </button>
              <input
                ref={chooser}
                type="file"
                accept="image/*"
                hidden
                onChange={(event) => {
                  attach(event.target.files?.[0]);
                  // The same file may be chosen again.
                  event.target.value = '';
                }}
              />
            </>
          ) : null}
          <textarea
            ref={field}
            rows={1}
            value={shown}
            readOnly={isUploading}
            aria-label={copy.composer.label}
            aria-describedby={cn(notice && noticeId, showsCount && countId) || undefined}
            aria-invalid={isTooLong || undefined}
            placeholder={hasAttachment ? copy.composer.captionPlaceholder : copy.composer.placeholder}
            enterKeyHint="send"
            className="max-h-42 min-h-11 w-full min-w-0 flex-1 resize-none bg-transparent px-3 py-2.5 text-md outline-none placeholder:text-muted-foreground md:text-chat"
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
