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

/** In the order of the buttons. */
const actionNames = ['react', 'reply', 'edit', 'delete', 'translate', 'report'] as const;

const Action = ({
  label,
  onPress,
  children,
  ...buttonProps
}: ComponentProps<'button'> & { label: string; onPress: () => void }) => (
  <Tooltip label={label}>
    <button type="button" aria-label={label} className={iconButton} onClick={onPress} {...buttonProps}>
      {children}
    </button>
  </Tooltip>
);

/** A toolbar with the actions of the hovered or focused row. */
export const RowActions = ({
  message,
  ownId,
  actions,
  commands,
  onPin,
}: MessageActionsProps & {
  /** Called with the message key when the reactions open, to keep the row active, and with null when they close. */
  onPin: (key: string | null) => void;
}) => {
  const [isChoosingReaction, setChoosingReaction] = useState(false);
  const roving = useRovingFocus();
  // The first available button has index 0, and is therefore the tab stop.
  const availableNames = actionNames.filter((name) => actions[name]);
  const getItemProps = (name: (typeof actionNames)[number]) =>
    roving.getItemProps(availableNames.indexOf(name));
  const openOrCloseReactions = (isOpen: boolean): void => {
    setChoosingReaction(isOpen);
    onPin(isOpen ? message.key : null);
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
            ...getItemProps('react'),
          }}
          isOpen={isChoosingReaction}
          onOpenChange={openOrCloseReactions}
          label={copy.actions.chooseReaction}
          className="p-1.5"
        >
          <ReactionChoice
            reactions={message.reactions}
            ownId={ownId}
            onChoose={(emoji) => {
              openOrCloseReactions(false);
              commands.onReact(message.id, emoji);
            }}
          />
        </Popover>
      ) : null}
      {actions.reply ? (
        <Action
          label={copy.actions.reply}
          onPress={() => commands.onReply(message)}
          {...getItemProps('reply')}
        >
          <Reply aria-hidden="true" />
        </Action>
      ) : null}
      {actions.edit ? (
        <Action label={copy.actions.edit} onPress={() => commands.onEdit(message)} {...getItemProps('edit')}>
          <Pencil aria-hidden="true" />
        </Action>
      ) : null}
      {actions.delete ? (
        <Action
          label={copy.actions.delete}
          onPress={() => commands.onDelete(message.id)}
          {...getItemProps('delete')}
        >
          <Trash2 aria-hidden="true" />
        </Action>
      ) : null}
      {actions.translate ? (
        <Action
          label={copy.translation.action}
          onPress={() => void startTranslation(message.key, parseContent(message).text)}
          {...getItemProps('translate')}
        >
          <Languages aria-hidden="true" />
        </Action>
      ) : null}
      {actions.report ? (
        <Action
          label={copy.actions.report}
          onPress={() => commands.onReport(message.id)}
          {...getItemProps('report')}
        >
          <Flag aria-hidden="true" />
        </Action>
      ) : null}
    </div>
  );
};
