import { Bubble } from '@/chat-ui/bubble';
import { copy } from '@/features/landing/copy';
import { sample } from '@/features/landing/sample';
import { cn } from '@/lib/class-names';
import { Avatar } from '@/ui/avatar';

/** A picture of the product, made of the product's own bubbles. */
export const SampleConversation = () => (
  <figure aria-label={copy.hero.demo} className="relative">
    <div aria-hidden="true" className="ember-glow pointer-events-none absolute -inset-24" />
    <div className="relative rounded-sheet border border-border bg-card p-4 shadow-elevated md:p-6">
      <figcaption className="flex items-center gap-3 border-b border-border pb-4">
        <span className="flex">
          <Avatar id={sample.left.id} name={sample.left.name} className="z-10 ring-3 ring-card" />
          <Avatar id={sample.right.id} name={sample.right.name} className="-ml-3" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate text-base font-bold">
            {sample.left.name} and {sample.right.name}
          </span>
          <span className="block truncate text-sm text-muted-foreground">
            {sample.left.country}, {sample.right.country}
          </span>
        </span>
        <span className="rounded-full border border-border px-3 py-1 text-xs font-semibold text-muted-foreground">
          {sample.mood}
        </span>
      </figcaption>
      <div className="pt-1">
        {sample.messages.map((message, index) => {
          const isFirst = sample.messages[index - 1]?.from !== message.from;
          const isLast = sample.messages[index + 1]?.from !== message.from;
          return (
            <div key={message.text} className={cn('flex', isFirst ? 'pt-3' : 'pt-[2px]')}>
              <Bubble
                isMine={message.from === 'right'}
                isFirst={isFirst}
                isLast={isLast}
                isEmoji={message.text === '😂'}
              >
                {message.text}
              </Bubble>
            </div>
          );
        })}
        <p className="mt-1 text-right text-xs text-muted-foreground tabular-nums">{sample.time}</p>
      </div>
    </div>
  </figure>
);
