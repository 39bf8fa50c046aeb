import { copy } from '@/features/private-chat/copy';
import { cn } from '@/lib/class-names';

const widths = ['w-2/5', 'w-3/5', 'w-1/3', 'w-1/2'] as const;

/** Placeholder for the messages. The class `appear-late` shows it only when loading takes longer than 150 ms. */
export const LoadingMessages = () => (
  <div
    role="status"
    className="appear-late mx-auto flex w-full max-w-4xl flex-1 flex-col justify-end gap-3 p-6"
  >
    <span className="sr-only">{copy.loading}</span>
    {widths.map((width, index) => (
      <span
        key={width}
        aria-hidden="true"
        className={cn('h-10 rounded-card bg-raised', width, index % 2 === 1 && 'ml-auto')}
      />
    ))}
  </div>
);
