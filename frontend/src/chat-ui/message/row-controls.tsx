import { Ellipsis } from 'lucide-react';
import { copy } from '@/chat-ui/copy';
import { type MessageActionsProps } from '@/chat-ui/message/message-commands';
import { rowActionsPart } from '@/chat-ui/message/message-action-parts';
import { findRow } from '@/chat-ui/message-list/row-element';
import { cn } from '@/lib/class-names';
import { LoadedPart } from '@/ui/loaded-part';
import { Tooltip } from '@/ui/tooltip';

export interface RowControlsProps extends MessageActionsProps {
  isMine: boolean;
  /** Called with the message key when the reactions open, to keep the row active, and with null when they close. */
  onPin: (key: string | null) => void;
  onOpenSheet: (key: string) => void;
}

/**
 * The actions of the hovered or focused row. They are beside the bubble, because above it they would hide another
 * message. A list narrower than 44rem has no room for all actions: it shows one button, which opens them as a sheet.
 * Devices without hover show neither: there, a long press opens the sheet.
 */
export const RowControls = ({ isMine, onPin, onOpenSheet, ...row }: RowControlsProps) => (
  <div
    className={cn(
      'absolute top-1/2 z-floating -translate-y-1/2 [@media(hover:none)]:hidden',
      isMine ? 'right-full pr-1' : 'left-full pl-1',
    )}
  >
    <Tooltip label={copy.actions.label}>
      <button
        type="button"
        aria-label={copy.actions.label}
        aria-haspopup="dialog"
        className="grid size-9 place-items-center rounded-control border border-border bg-popover text-muted-foreground shadow-elevated transition-colors hover:bg-raised hover:text-foreground @min-[44rem]:hidden"
        onClick={({ currentTarget }) => {
          // On closing, the sheet returns the focus to the row: the button is unmounted by then.
          findRow(currentTarget)?.focus();
          onOpenSheet(row.message.key);
        }}
      >
        <Ellipsis aria-hidden="true" className="size-[1.1rem]" />
      </button>
    </Tooltip>
    <div className="hidden @min-[44rem]:block">
      {/* If the code cannot be loaded, nothing is shown: the next hover retries, and the sheet has the same actions */}
      <LoadedPart part={rowActionsPart} renderFailure={() => null}>
        {(RowActions) => <RowActions onPin={onPin} {...row} />}
      </LoadedPart>
    </div>
  </div>
);
