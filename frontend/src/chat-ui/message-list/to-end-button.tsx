import { ChevronDown } from 'lucide-react';
import { copy } from '@/chat-ui/copy';
import { cn } from '@/lib/class-names';

/**
 * A button that leads to the newest message and shows the number of unseen messages. It is placed higher while the row
 * of suggestions (`data-ideas-row`) covers the end of the list.
 */
export const ToEndButton = ({ unseenCount, onPress }: { unseenCount: number; onPress: () => void }) => (
  <div className="pointer-events-none absolute inset-x-0 bottom-2 z-floating flex justify-center group-has-[[data-ideas-row]]/conversation:bottom-9">
    <button
      type="button"
      aria-label={unseenCount > 0 ? undefined : copy.list.newest}
      onClick={onPress}
      className={cn(
        'enter-rise pointer-events-auto inline-flex h-11 items-center gap-2 rounded-full text-base font-semibold shadow-elevated',
        unseenCount > 0
          ? 'bg-primary px-4 text-primary-foreground'
          : 'w-11 justify-center border border-border bg-popover text-foreground',
      )}
    >
      {unseenCount > 0 ? copy.list.unseen(unseenCount) : null}
      <ChevronDown aria-hidden="true" className="size-4" />
    </button>
  </div>
);
