import { Flag, Languages, Pencil, Reply, SmilePlus, Trash2 } from 'lucide-react';
import { useState, type ComponentProps } from 'react';
import { copy } from '@/chat-ui/copy';
import { parseContent } from '@/chat-ui/message-content';
import { type MessageActionsProps } from '@/chat-ui/message/message-commands';
import { ReactionChoice } from '@/chat-ui/message/reaction-choice';
import { startTranslation } from '@/chat-ui/translation/translations.store';
import { Popover } from '@/ui/popover';
import { useRovingFocus } from '@/ui/roving-focus';
import { Tooltip } from '@/ui/tooltip';

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
}: MessageActionsProps & { onPin: (key: string | null) => void }) => {
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
