import { Copy, Flag, Languages, Pencil, Reply, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode } from 'react';
import { copy } from '@/chat-ui/copy';
import { parseContent } from '@/chat-ui/message-content';
import { type MessageActionsProps } from '@/chat-ui/message/message-commands';
import { ReactionChoice } from '@/chat-ui/message/reaction-choice';
import { startTranslation } from '@/chat-ui/translation/translations.store';
import { cn } from '@/lib/class-names';
import { copyToClipboard } from '@/lib/copy-to-clipboard';
import { useCloseOnBack } from '@/lib/use-close-on-back';
import { Modal } from '@/ui/modal';

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

/**
 * The actions of a message as a sheet. It is opened by a long press, by Enter on a row, and by the button that a narrow
 * list shows instead of `RowActions`.
 */
export const ActionSheet = ({
  message,
  ownId,
  actions,
  commands,
  onClose,
}: MessageActionsProps & { onClose: () => void }) => {
  useCloseOnBack(true, onClose); // the sheet is mounted only while it is open
  const { text } = parseContent(message);
  // A failed message has none of the `actions`: it can only be copied, sent again and deleted.
  const failedClientId = message.delivery === 'failed' ? message.clientId : undefined;
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
            ownId={ownId}
            onChoose={(emoji) => {
              onClose();
              commands.onReact(message.id, emoji);
            }}
          />
        ) : null}
        {actions.reply ? (
          <SheetItem icon={<Reply aria-hidden="true" />} onPress={closeThen(() => commands.onReply(message))}>
            {copy.actions.reply}
          </SheetItem>
        ) : null}
        {text ? (
          <SheetItem icon={<Copy aria-hidden="true" />} onPress={closeThen(() => void copyToClipboard(text))}>
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
        {failedClientId ? (
          <>
            <SheetItem
              icon={<RotateCw aria-hidden="true" />}
              onPress={closeThen(() => commands.onRetry(failedClientId))}
            >
              {copy.delivery.retry}
            </SheetItem>
            <SheetItem
              isDestructive
              icon={<Trash2 aria-hidden="true" />}
              onPress={closeThen(() => commands.onDiscard(failedClientId))}
            >
              {copy.delivery.delete}
            </SheetItem>
          </>
        ) : null}
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
