import { Copy, Flag, Languages, Pencil, Reply, RotateCw, SmilePlus, Trash2 } from 'lucide-react';
import { useState, type ComponentProps, type ReactNode } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { copy } from '@/chat-ui/copy';
import { parseContent } from '@/chat-ui/message-content';
import { type AvailableActions } from '@/chat-ui/message/available-actions';
import { ReactionChoice } from '@/chat-ui/message/reactions';
import { startTranslation } from '@/chat-ui/translation/translations.store';
import { cn } from '@/lib/class-names';
import { useBackCloses } from '@/lib/use-back-closes';
import { Modal } from '@/ui/modal';
import { Popover } from '@/ui/popover';
import { useRovingFocus } from '@/ui/roving-focus';
import { Tooltip } from '@/ui/tooltip';

/** Operations on messages. The object must be stable between renders. */
export interface MessageCommands {
  onReply: (message: ChatMessage) => void;
  onEdit: (message: ChatMessage) => void;
  onReact: (messageId: string, emoji: string) => void;
  onDelete: (messageId: string) => void;
  onRetry: (clientId: string) => void;
  /** Deletes a message that was not delivered, or cancels the upload of its picture. */
  onDiscard: (clientId: string) => void;
  onReport: (messageId: string) => void;
  onJump: (messageId: string) => void;
  /** @param hidden  the address of a picture, or a contact detail */
  onReveal: (hidden: string) => void;
  onOpenImage: (url: string, name: string) => void;
}

export interface RowActionsProps {
  message: ChatMessage;
  me: number;
  actions: AvailableActions;
  commands: MessageCommands;
}

const iconButton =
  'grid size-9 place-items-center rounded-control text-muted-foreground transition-colors hover:bg-raised hover:text-foreground [&_svg]:size-[1.1rem]';

const Action = ({
  label,
  onPress,
  children,
  ...roving
}: ComponentProps<'button'> & { label: string; onPress: () => void }) => (
  <Tooltip label={label}>
    <button type="button" aria-label={label} className={iconButton} onClick={onPress} {...roving}>
      {children}
    </button>
  </Tooltip>
);

/** Actions beside the hovered or focused row. */
export const RowActions = ({
  message,
  me,
  actions,
  commands,
  onPin,
}: RowActionsProps & { onPin: (key: string | null) => void }) => {
  const [isChoosing, setIsChoosing] = useState(false);
  const roving = useRovingFocus();
  // In the order of the buttons. The index among the available ones decides which button is the tab stop: the first.
  const availability = [
    actions.react,
    actions.reply,
    actions.edit,
    actions.delete,
    actions.translate,
    actions.report,
  ];
  const getItemProps = (position: number) =>
    roving.getItemProps(availability.slice(0, position).filter(Boolean).length);
  const setChoosing = (choosing: boolean): void => {
    setIsChoosing(choosing);
    onPin(choosing ? message.key : null);
  };
  return (
    <div
      role="toolbar"
      aria-label={copy.actions.label}
      className="flex rounded-[14px] border border-border bg-popover p-0.5 shadow-elevated"
      {...roving.group}
    >
      {actions.react ? (
        <Popover
          button={{
            'aria-label': copy.actions.react,
            className: iconButton,
            children: <SmilePlus aria-hidden="true" />,
            ...getItemProps(0),
          }}
          isOpen={isChoosing}
          onOpenChange={setChoosing}
          label={copy.actions.reactions}
          className="p-1.5"
        >
          <ReactionChoice
            reactions={message.reactions}
            me={me}
            onChoose={(emoji) => {
              setChoosing(false);
              commands.onReact(message.id, emoji);
            }}
          />
        </Popover>
      ) : null}
      {actions.reply ? (
        <Action label={copy.actions.reply} onPress={() => commands.onReply(message)} {...getItemProps(1)}>
          <Reply aria-hidden="true" />
        </Action>
      ) : null}
      {actions.edit ? (
        <Action label={copy.actions.edit} onPress={() => commands.onEdit(message)} {...getItemProps(2)}>
          <Pencil aria-hidden="true" />
        </Action>
      ) : null}
      {actions.delete ? (
        <Action
          label={copy.actions.delete}
          onPress={() => commands.onDelete(message.id)}
          {...getItemProps(3)}
        >
          <Trash2 aria-hidden="true" />
        </Action>
      ) : null}
      {actions.translate ? (
        <Action
          label={copy.translation.action}
          onPress={() => void startTranslation(message.key, parseContent(message).text)}
          {...getItemProps(4)}
        >
          <Languages aria-hidden="true" />
        </Action>
      ) : null}
      {actions.report ? (
        <Action
          label={copy.actions.report}
          onPress={() => commands.onReport(message.id)}
          {...getItemProps(5)}
        >
          <Flag aria-hidden="true" />
        </Action>
      ) : null}
    </div>
  );
};

const SheetItem = ({
  icon,
  isDestructive = false,
  onPress,
  children,
}: {
  icon: ReactNode;
  isDestructive?: boolean;
  onPress: () => void;
  children: string;
}) => (
  <button
    type="button"
    onClick={onPress}
    className={cn(
      'flex h-13 w-full items-center gap-4 rounded-control px-3 text-md font-semibold hover:bg-raised active:bg-raised [&_svg]:size-5',
      isDestructive && 'text-destructive',
    )}
  >
    {icon}
    {children}
  </button>
);

/** The same actions on touch screens, opened by a long press. */
export const ActionSheet = ({
  message,
  me,
  actions,
  commands,
  onClose,
}: RowActionsProps & { onClose: () => void }) => {
  useBackCloses(true, onClose);
  const { text } = parseContent(message);
  const failedId = message.delivery === 'failed' ? message.clientId : undefined;
  const closeThen = (action: () => void) => (): void => {
    onClose();
    action();
  };
  return (
    <Modal isOpen title={copy.actions.label} onDismiss={onClose}>
      <div className="mt-3 grid gap-1">
        {actions.react ? (
          <ReactionChoice
            className="mb-2 justify-items-center"
            reactions={message.reactions}
            me={me}
            onChoose={(emoji) => closeThen(() => commands.onReact(message.id, emoji))()}
          />
        ) : null}
        {actions.reply ? (
          <SheetItem icon={<Reply aria-hidden="true" />} onPress={closeThen(() => commands.onReply(message))}>
            {copy.actions.reply}
          </SheetItem>
        ) : null}
        {text ? (
          <SheetItem
            icon={<Copy aria-hidden="true" />}
            // A page on plain http has no clipboard.
            onPress={closeThen(() => void (navigator.clipboard as Clipboard | undefined)?.writeText(text))}
          >
            {copy.actions.copy}
          </SheetItem>
        ) : null}
        {actions.translate ? (
          <SheetItem
            icon={<Languages aria-hidden="true" />}
            onPress={closeThen(() => void startTranslation(message.key, text))}
          >
            {copy.translation.action}
          </SheetItem>
        ) : null}
        {actions.edit ? (
          <SheetItem icon={<Pencil aria-hidden="true" />} onPress={closeThen(() => commands.onEdit(message))}>
            {copy.actions.edit}
          </SheetItem>
        ) : null}
        {failedId === undefined ? null : (
          <>
            <SheetItem
              icon={<RotateCw aria-hidden="true" />}
              onPress={closeThen(() => commands.onRetry(failedId))}
            >
              {copy.delivery.retry}
            </SheetItem>
            <SheetItem
              isDestructive
              icon={<Trash2 aria-hidden="true" />}
              onPress={closeThen(() => commands.onDiscard(failedId))}
            >
              {copy.delivery.remove}
            </SheetItem>
          </>
        )}
        {actions.delete ? (
          <SheetItem
            isDestructive
            icon={<Trash2 aria-hidden="true" />}
            onPress={closeThen(() => commands.onDelete(message.id))}
          >
            {copy.actions.delete}
          </SheetItem>
        ) : null}
        {actions.report ? (
          <SheetItem
            icon={<Flag aria-hidden="true" />}
            onPress={closeThen(() => commands.onReport(message.id))}
          >
            {copy.actions.report}
          </SheetItem>
        ) : null}
      </div>
    </Modal>
  );
};
