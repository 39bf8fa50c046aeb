import { Check } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { IceCube } from '@/features/random-chat/icebreaker/components/ice-cube';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { type GameData } from '@/features/random-chat/icebreaker/game';
import { cn } from '@/lib/class-names';
import { Button } from '@/ui/button';
import { useRovingFocus } from '@/ui/roving-focus';

export interface GameCardProps {
  game: GameData;
  /** Whether this user asked the question. Then the card has no Ignore button (docs/product-decisions.md, A74). */
  isMine: boolean;
  partnerName: string;
  isConnected: boolean;
  onAnswer: (gameId: string, response: string) => void;
  onIgnore: (gameId: string) => void;
}

interface OptionsProps {
  labelledBy: string;
  options: readonly string[];
  chosen: string | null;
  isLocked: boolean;
  onChoose: (option: string) => void;
}

/**
 * The options as radio buttons. The arrow keys only move the focus, because a choice is final: Enter, Space or a click
 * chooses.
 */
const Options = ({ labelledBy, options, chosen, isLocked, onChoose }: OptionsProps) => {
  // Tab reaches the chosen option, or the first one while none is chosen.
  const roving = useRovingFocus({ initialIndex: Math.max(0, options.indexOf(chosen ?? '')) });
  const unchosenBorder = isLocked ? 'border-border' : 'border-input';
  return (
    <div role="radiogroup" aria-labelledby={labelledBy} className="grid gap-1.5" {...roving.group}>
      {options.map((option, index) => {
        const isChosen = option === chosen;
        return (
          <button
            key={option}
            type="button"
            role="radio"
            aria-checked={isChosen}
            disabled={isLocked}
            {...roving.getItemProps(index)}
            className={cn(
              'flex min-h-11 w-full items-center gap-3 rounded-control px-3 py-2 text-left text-chat transition-colors',
              isChosen ? 'bg-ice font-semibold text-background' : 'bg-card',
              isLocked && !isChosen && 'text-muted-foreground',
              !isLocked && !isChosen && 'hover:inset-ring-2 hover:inset-ring-ice',
            )}
            onClick={() => onChoose(option)}
          >
            <span
              aria-hidden="true"
              className={cn(
                'grid size-5 shrink-0 place-items-center rounded-full border-2',
                isChosen ? 'border-background' : unchosenBorder,
              )}
            >
              {isChosen ? <Check className="size-3.5" strokeWidth={3.5} /> : null}
            </span>
            {option}
          </button>
        );
      })}
    </div>
  );
};

/** Title and hint for a game that ended without a reveal of the answers; null for any other game. */
const getEndTexts = ({ progress, userResponse }: GameData): readonly [string, string] | null => {
  if (progress === 'closed') return copy.closed;
  if (userResponse === 'IGNORED_BY_USER') return copy.ignoredByMe;
  return userResponse === 'IGNORED_BY_PARTNER' ? copy.ignoredByPartner : null;
};

/** Whether the user has answered. The answer may still be in flight; while Ignore is, `userResponse` is null. */
const hasUserAnswered = ({ progress, userResponse }: GameData): boolean =>
  progress === 'answered' || progress === 'revealed' || (progress === 'sending' && userResponse !== null);

interface GameStatusProps extends Pick<GameCardProps, 'game' | 'isMine'> {
  isLocked: boolean;
  onIgnore: () => void;
}

/** What follows the options: how the game ended, that the user has answered, or the Ignore button. */
const GameStatus = ({ game, isMine, isLocked, onIgnore }: GameStatusProps) => {
  const endTexts = getEndTexts(game);
  if (endTexts) {
    const [title, hint] = endTexts;
    return (
      <div className="enter-rise mt-3">
        <p className="text-base font-semibold">{title}</p>
        <p className="text-sm text-muted-foreground">{hint}</p>
      </div>
    );
  }
  if (hasUserAnswered(game))
    return (
      <p className="enter-rise mt-3 inline-flex items-center gap-2 text-base font-semibold text-ice">
        <Check aria-hidden="true" className="size-4" />
        {copy.answered}
      </p>
    );
  if (isMine) return null;
  return (
    <Button variant="ghost" className="mt-2 w-full hover:bg-card" disabled={isLocked} onClick={onIgnore}>
      {copy.ignore}
    </Button>
  );
};

/**
 * A question of Break the Ice, from the start of the game to its end. Both users choose an answer, which is final,
 * unless one of them ignores the question.
 */
export const GameCard = ({ game, isMine, partnerName, isConnected, onAnswer, onIgnore }: GameCardProps) => {
  const titleId = useId();
  const statusArea = useRef<HTMLDivElement>(null);
  const wasPressed = useRef(false);
  const { gameId, progress } = game;
  const isOver = progress === 'revealed' || progress === 'ignored' || progress === 'closed';
  const isLocked = progress !== 'open' || !isConnected;

  // The pressed button becomes disabled and loses the focus to the body. The status gets it, so that the next Tab
  // starts there. If the user has already focused another element, that keeps the focus.
  useEffect(() => {
    if (progress === 'open' || !wasPressed.current) return;
    wasPressed.current = false;
    if (document.activeElement === document.body) statusArea.current?.focus();
  }, [progress]);
  const press = (act: () => void): void => {
    wasPressed.current = true;
    act();
  };

  return (
    <section
      aria-labelledby={titleId}
      className="mx-auto w-full max-w-[34rem] rounded-card bg-ice-surface p-4 inset-ring inset-ring-ice/25 sm:p-5"
    >
      <div className="flex items-center gap-2 text-sm font-semibold text-ice">
        <IceCube className="size-4 shrink-0" />
        <p className="min-w-0 truncate">{isMine ? copy.asked.byMe : copy.asked.byPartner(partnerName)}</p>
        {game.hasPartnerAnswered && !isOver ? (
          <p className="enter-rise ml-auto inline-flex min-w-0 items-center gap-1">
            <Check aria-hidden="true" className="size-4 shrink-0" />
            <span className="truncate">{copy.partnerAnswered(partnerName)}</span>
          </p>
        ) : null}
      </div>
      <h2 id={titleId} className={cn('mt-2', isOver ? 'text-base' : 'text-lg font-bold')}>
        {game.question}
      </h2>
      {isOver ? null : (
        <div className="mt-4">
          <Options
            labelledBy={titleId}
            options={game.options}
            chosen={game.userResponse}
            isLocked={isLocked}
            onChoose={(option) => press(() => onAnswer(gameId, option))}
          />
        </div>
      )}
      <div ref={statusArea} tabIndex={-1} className="outline-none">
        <GameStatus
          game={game}
          isMine={isMine}
          isLocked={isLocked}
          onIgnore={() => press(() => onIgnore(gameId))}
        />
      </div>
    </section>
  );
};
