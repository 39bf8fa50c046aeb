import { ImagePlus, X } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { type Attachment } from '@/chat-ui/composer/attachment';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { type ComposerIdeasProps, type RenderIdeas } from '@/chat-ui/composer/ideas';
import { copy } from '@/chat-ui/copy';

interface ReplyTask {
  kind: 'reply';
  message: ChatMessage;
  /** The author of `message`. */
  name: string;
  /** Whether the user replies to their own message. */
  isMine: boolean;
  /** The shortened text of `message`. */
  quote: string;
}

interface EditTask {
  kind: 'edit';
  message: ChatMessage;
  /** The new text of an earlier edit that could not be saved. */
  text?: string | undefined;
}

/** The reply or edit that the text in the composer belongs to. */
export type ComposerTask = ReplyTask | EditTask;

/** Class names of a button in the composer. */
export const toolClass =
  'grid size-11 shrink-0 place-items-center rounded-full text-muted-foreground transition-colors hover:bg-raised hover:text-foreground disabled:pointer-events-none disabled:opacity-50';

const Banner = ({
  title,
  onCancel,
  cancelLabel,
  children,
}: {
  title: string;
  onCancel: () => void;
  cancelLabel: string;
  children: ReactNode;
}) => (
  <div className="enter-rise flex items-center gap-2 py-1 pr-0 pl-3">
    <div className="relative min-w-0 flex-1 pl-3 before:absolute before:inset-y-0.5 before:left-0 before:w-[3px] before:rounded-full before:bg-primary">
      <p className="truncate text-sm font-semibold">{title}</p>
      <p dir="auto" className="truncate text-sm text-muted-foreground">
        {children}
      </p>
    </div>
    <button
      type="button"
      aria-label={cancelLabel}
      onClick={onCancel}
      className="grid size-11 shrink-0 place-items-center rounded-full text-muted-foreground hover:bg-raised hover:text-foreground"
    >
      <X aria-hidden="true" className="size-4" />
    </button>
  </div>
);

/** Banner above the field that shows the current task. */
export const TaskBanner = ({ task, onCancel }: { task: ComposerTask; onCancel: () => void }) =>
  task.kind === 'edit' ? (
    <Banner title={copy.composer.editing} cancelLabel={copy.composer.cancelEdit} onCancel={onCancel}>
      {copy.composer.editHint}
    </Banner>
  ) : (
    <Banner
      title={task.isMine ? copy.composer.replyingToSelf : copy.composer.replyingTo(task.name)}
      cancelLabel={copy.composer.cancelReply}
      onCancel={onCancel}
    >
      {task.quote}
    </Banner>
  );

/** Shows the chosen picture and its file name. A picture that was returned to the composer has no file, and no name. */
export const AttachmentPreview = ({
  attachment,
  onRemove,
}: {
  attachment: Attachment;
  onRemove: () => void;
}) => (
  <div className="enter-rise flex items-center gap-3 p-2">
    <div className="size-20 shrink-0 overflow-hidden rounded-control bg-raised">
      <img src={attachment.previewUrl} alt={copy.message.yourPhoto} className="size-full object-cover" />
    </div>
    <p role="status" className="min-w-0 flex-1 truncate text-sm text-muted-foreground">
      {attachment.file?.name}
    </p>
    <button type="button" aria-label={copy.composer.removePhoto} className={toolClass} onClick={onRemove}>
      <X aria-hidden="true" className="size-4" />
    </button>
  </div>
);

export const Ideas = ({
  render,
  ...props
}: ComposerIdeasProps & { render: RenderIdeas<ComposerIdeasProps> }) => render(props);

export const AttachButton = ({ onChoose }: { onChoose: (file: File) => void }) => {
  const fileInput = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        aria-label={copy.composer.attachPhoto}
        className={toolClass}
        onClick={() => fileInput.current?.click()}
      >
        <ImagePlus aria-hidden="true" className="size-5" />
      </button>
      <input
        ref={fileInput}
        type="file"
        accept="image/*"
        hidden
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          if (file) onChoose(file);
          // Without a reset, choosing the same file again would cause no `change` event.
          event.target.value = '';
        }}
      />
    </>
  );
};
