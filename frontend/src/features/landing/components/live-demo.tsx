import { Snowflake } from 'lucide-react';
import { type CSSProperties } from 'react';
import { Bubble } from '@/chat-ui/message/bubble';
import { CarouselPause } from '@/features/landing/components/carousel-pause';
import { copy } from '@/features/landing/copy';
import { type SampleConversation, type SampleMessage, samples } from '@/features/landing/samples';
import { useCarousel } from '@/features/landing/use-carousel';
import { cn } from '@/lib/class-names';
import { pageLimits } from '@/lib/page-limits';
import { Avatar } from '@/ui/avatar';

/** A message of the game Break the Ice. */
const GameCard = ({ text }: { text: string }) => (
  <div className="w-fit max-w-[min(78%,34rem)] rounded-card bg-background px-3 py-2 text-chat inset-ring inset-ring-ice">
    <p className="flex items-center gap-1.5 text-xs font-bold text-ice">
      <Snowflake aria-hidden="true" className="size-3" />
      {copy.breakTheIce.name}
    </p>
    <p className="mt-0.5">{text}</p>
  </div>
);

/** Whether the text is a single emoji, which the bubble shows large. */
const isSingleEmoji = (text: string): boolean => /^\p{Extended_Pictographic}$/u.test(text);

const MessageRow = ({
  message,
  previous,
  next,
  isMine,
  index,
}: {
  message: SampleMessage;
  previous: SampleMessage | undefined;
  next: SampleMessage | undefined;
  /** Shows the message on the right side, like the user's own messages in a chat. */
  isMine: boolean;
  /** Position in the conversation. Later messages appear after a longer delay. */
  index: number;
}) => {
  // A card of the game is not a bubble, so the next bubble is the first of its group.
  const isFirst = previous?.sender !== message.sender || previous.isGame === true;
  return (
    <li
      className={cn(
        'demo-message flex items-end gap-2',
        isMine ? 'flex-row-reverse' : '',
        isFirst ? 'pt-2.5' : 'pt-[2px]',
      )}
      style={{ '--order': index } as CSSProperties}
    >
      <span className="sr-only">{message.sender}: </span>
      {message.isGame ? (
        <GameCard text={message.text} />
      ) : (
        <Bubble
          isMine={isMine}
          isFirst={isFirst}
          isLast={next?.sender !== message.sender}
          isEmoji={isSingleEmoji(message.text)}
          // Overrides the margin of one's own bubbles, which would separate the bubble from its time.
          className="ml-0"
        >
          {message.text}
        </Bubble>
      )}
      <time className="shrink-0 pb-1 text-xs text-muted-foreground tabular-nums">{message.time}</time>
    </li>
  );
};

const Conversation = ({ participants, messages, mood }: SampleConversation) => {
  const [left, right] = participants;
  return (
    <>
      <div className="flex items-center justify-between gap-3 border-b border-border pb-4">
        {[left, right].map((participant) => (
          <p
            key={participant.name}
            className={cn(
              'flex min-w-0 items-center gap-3',
              participant === right && 'flex-row-reverse text-right',
            )}
          >
            <Avatar id={participant.avatar} name={participant.name} />
            <span className="min-w-0">
              <span className="block truncate text-base font-bold">{participant.name}</span>
              <span className="block truncate text-sm text-muted-foreground">{participant.country}</span>
            </span>
          </p>
        ))}
      </div>
      <p className="pt-4 text-center text-xs text-muted-foreground tabular-nums">{mood}</p>
      <ol>
        {messages.map((message, index) => (
          <MessageRow
            key={message.text}
            message={message}
            previous={messages[index - 1]}
            next={messages[index + 1]}
            isMine={message.sender === right.name}
            index={index}
          />
        ))}
      </ol>
    </>
  );
};

/** Plays sample conversations in the product's own chat bubbles. */
export const LiveDemo = () => {
  const { index, turn, isRunning, isPausedByUser, choose, togglePause, pauseHandlers, swipeHandlers } =
    useCarousel(samples.length, pageLimits.conversationCarouselMs);
  // On turn 0, when the page opens, the conversation is complete. After each change of the slide, which increments
  // `turn`, the messages appear one by one.
  const appearance = turn === 0 ? 'at-once' : 'played';
  return (
    <section
      aria-roledescription="carousel"
      aria-label={copy.demo.label}
      className="relative"
      {...pauseHandlers}
    >
      <div aria-hidden="true" className="ember-glow pointer-events-none absolute -inset-24" />
      <div className="relative rounded-sheet border border-border bg-card p-4 shadow-elevated md:p-6">
        <div {...swipeHandlers} aria-live={isRunning ? 'off' : 'polite'} className="slides">
          {samples.map((sample, slideIndex) => (
            <div
              key={sample.mood}
              role="group"
              aria-roledescription="slide"
              aria-label={copy.demo.slide(sample.mood, slideIndex + 1, samples.length)}
              aria-hidden={slideIndex !== index}
              data-shown={slideIndex === index ? appearance : undefined}
              className="slide"
            >
              <Conversation {...sample} />
            </div>
          ))}
        </div>
      </div>
      <div className="relative mt-2 flex items-center justify-center">
        {samples.map((sample, slideIndex) => (
          <button
            key={sample.mood}
            type="button"
            aria-label={sample.mood}
            aria-current={slideIndex === index}
            className="carousel-dot"
            onClick={() => choose(slideIndex)}
          />
        ))}
        <CarouselPause isPaused={isPausedByUser} contentName={copy.demo.contentName} onToggle={togglePause} />
      </div>
    </section>
  );
};
