import { IceCube } from '@/features/random-chat/icebreaker/components/ice-cube';
import { copy } from '@/features/random-chat/icebreaker/copy';
import { type GameData } from '@/features/random-chat/icebreaker/game';
import { cn } from '@/lib/class-names';

export interface RevealCardProps {
  game: GameData;
  partnerName: string;
  /** True during the visual effects of the reveal: the answers then slide in. */
  isCelebrated: boolean;
}

const Answer = ({ who, text, className }: { who: string; text: string; className: string }) => (
  <div className={cn('min-w-0 bg-card p-4', className)}>
    <dt className="truncate text-sm text-muted-foreground">
      <bdi>{who}</bdi>
    </dt>
    <dd className="mt-1 text-md font-bold text-balance">{text}</dd>
  </div>
);

/** Both answers, side by side. */
export const RevealCard = ({ game, partnerName, isCelebrated }: RevealCardProps) => {
  const isMatch = game.sameAnswer === true;
  return (
    <section className="mx-auto w-full max-w-[34rem] overflow-hidden rounded-card bg-ice-surface p-4 inset-ring inset-ring-ice/25 sm:p-5">
      <div className="flex items-center gap-3">
        {isMatch ? <IceCube className="size-9 shrink-0 text-ice" /> : null}
        <div className="min-w-0">
          <h2 className={cn('text-xl font-extrabold', isMatch ? 'text-ice' : 'text-foreground')}>
            {isMatch ? copy.match.title : copy.plotTwist.title}
          </h2>
          {isMatch ? (
            <p lang="pt" className="text-base">
              {copy.match.portuguese}
            </p>
          ) : (
            <p className="text-base">{copy.plotTwist.hint}</p>
          )}
        </div>
      </div>
      <dl className={cn('mt-4 grid grid-cols-2', isMatch ? 'gap-0.5' : 'gap-3')}>
        <Answer
          who={copy.you}
          text={game.userResponse ?? ''}
          className={cn('rounded-control', isMatch && 'rounded-r-inner', isCelebrated && 'meet-from-left')}
        />
        <Answer
          who={partnerName}
          text={game.partnerResponse ?? ''}
          className={cn('rounded-control', isMatch && 'rounded-l-inner', isCelebrated && 'meet-from-right')}
        />
      </dl>
    </section>
  );
};
