import { EyeOff, SkipForward, Sparkles, UserRoundMinus } from 'lucide-react';
import { type FC } from 'react';
import { Bubble } from '@/chat-ui/message/bubble';
import { copy } from '@/features/landing/copy';
import { cn } from '@/lib/class-names';
import { TwoDots } from '@/product/two-dots';
import { Avatar } from '@/ui/avatar';
import { PresenceDot } from '@/ui/presence-dot';

// The pictures of the carousel of features, built from markup. The carousel hides them from assistive technology.

/** The words inside the pictures. */
const words = copy.features.pictures;

const Matching = () => (
  <div className="w-full max-w-sm">
    <TwoDots state="seeking" />
    <p className="mt-4 flex justify-between text-base font-semibold">
      <span>{words.me}</span>
      <span className="text-muted-foreground">{words.them}</span>
    </p>
  </div>
);

/** A question of Break the Ice, with the first option chosen. */
const Game = () => (
  <div className="w-full max-w-sm rounded-card bg-raised p-4 md:p-5">
    <p className="text-md font-bold text-balance">{words.question}</p>
    <ul className="mt-4 grid gap-2">
      {words.options.map((option, index) => {
        const isChosen = index === 0;
        return (
          <li
            key={option}
            className={cn(
              'flex items-center gap-3 rounded-control bg-card px-3 py-2.5 text-base',
              isChosen && 'font-semibold inset-ring inset-ring-ice',
            )}
          >
            <span
              className={cn(
                'size-4 shrink-0 rounded-full border-2 border-input',
                isChosen && 'border-5 border-ice',
              )}
            />
            {option}
          </li>
        );
      })}
    </ul>
  </div>
);

const Friends = () => (
  <ul className="grid w-full max-w-sm gap-1">
    {words.friends.map((friend) => (
      <li
        key={friend.name}
        className={cn('flex items-center gap-3 rounded-card p-3', 'unread' in friend && 'bg-raised')}
      >
        <span className="relative">
          <Avatar id={friend.avatar} name={friend.name} />
          {friend.isOnline ? <PresenceDot isOnline ground="card" /> : null}
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate text-base font-bold">{friend.name}</span>
          <span className="block truncate text-sm text-muted-foreground">{friend.line}</span>
        </span>
        {'unread' in friend ? (
          <span className="grid h-5 min-w-5 place-items-center rounded-full bg-primary px-1.5 text-xs font-bold text-primary-foreground tabular-nums">
            {friend.unread}
          </span>
        ) : null}
      </li>
    ))}
  </ul>
);

/** Greetings from several places, with the local times of one moment. */
const World = () => (
  <ul className="grid w-full max-w-sm">
    {words.places.map(({ greeting, place, time }) => (
      <li
        key={place}
        className="flex items-baseline justify-between gap-4 border-b border-border py-3 last:border-0"
      >
        <span className="min-w-0">
          <span className="text-lg font-bold">{greeting}</span>{' '}
          <span className="text-sm text-muted-foreground">{place}</span>
        </span>
        <span className="text-lg text-muted-foreground tabular-nums">{time}</span>
      </li>
    ))}
  </ul>
);

/** The last message of a quiet chat, and suggestions for the next one. */
const Suggestions = () => (
  <div className="w-full max-w-sm">
    <Bubble isMine={false} isFirst isLast>
      {words.lastMessage}
    </Bubble>
    <ul className="mt-8 flex flex-wrap gap-2">
      {words.suggestions.map((suggestion, index) => (
        <li
          key={suggestion}
          className="flex items-center gap-2 rounded-full border border-input px-3.5 py-2 text-base font-semibold"
        >
          {index === 0 ? <Sparkles className="size-4 text-primary" /> : null}
          {suggestion}
        </li>
      ))}
    </ul>
  </div>
);

/** A blurred picture, next to a menu with the actions that end a chat or a friendship. */
const Safety = () => (
  <div className="flex w-full max-w-sm items-end gap-3">
    <div className="veiled-picture grid aspect-4/3 flex-1 place-items-center rounded-card">
      <span className="flex items-center gap-2 rounded-full bg-background px-3.5 py-2 text-base font-semibold">
        <EyeOff className="size-4" />
        {words.show}
      </span>
    </div>
    <ul className="grid w-42 shrink-0 gap-1 rounded-card bg-raised p-1.5 text-base font-semibold">
      <li className="flex items-center gap-2.5 rounded-control px-3 py-2.5">
        <SkipForward className="size-4 text-muted-foreground" />
        {words.skip}
      </li>
      <li className="flex items-center gap-2.5 rounded-control px-3 py-2.5 text-destructive">
        <UserRoundMinus className="size-4" />
        {words.remove}
      </li>
    </ul>
  </div>
);

/** The features with their pictures, in the order of the product specification (§1). */
export const features: readonly { key: keyof typeof copy.features.list; Picture: FC }[] = [
  { key: 'matching', Picture: Matching },
  { key: 'game', Picture: Game },
  { key: 'friends', Picture: Friends },
  { key: 'world', Picture: World },
  { key: 'suggestions', Picture: Suggestions },
  { key: 'safety', Picture: Safety },
];
