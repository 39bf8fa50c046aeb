import { Snowflake } from 'lucide-react';
import { copy } from '@/features/landing/copy';

const Answer = ({ label, text, className }: { label: string; text: string; className: string }) => (
  <div className={className}>
    <p className="text-sm font-semibold text-ice">{label}</p>
    <p className="mt-1 text-md font-semibold">{text}</p>
  </div>
);

/** Presents the game Break the Ice, in the colour `ice`, which is reserved for it. */
export const BreakTheIceSection = () => (
  <section aria-labelledby="ice-title" className="bg-ice-surface">
    <div className="mx-auto grid w-full max-w-6xl gap-12 px-6 py-18 md:px-12 md:py-24 lg:grid-cols-[5fr_6fr] lg:items-center">
      <div>
        <p className="flex items-center gap-2 text-base font-bold text-ice">
          <Snowflake aria-hidden="true" className="size-4" />
          {copy.breakTheIce.tagline}
        </p>
        <h2 id="ice-title" className="mt-3 text-2xl font-bold md:text-[2.5rem] md:leading-[1.1]">
          {copy.breakTheIce.title}
        </h2>
        <p className="mt-4 text-lg">{copy.breakTheIce.lead}</p>
        <ul className="mt-8 flex flex-wrap gap-x-6 gap-y-2 text-base font-semibold text-ice">
          {copy.breakTheIce.points.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      </div>
      <div className="rounded-sheet bg-background p-6 shadow-elevated md:p-8">
        <p className="text-xl font-bold text-balance">{copy.breakTheIce.question}</p>
        <div className="mt-8 grid gap-2 sm:grid-cols-2">
          <Answer
            label={copy.breakTheIce.myLabel}
            text={copy.breakTheIce.myAnswer}
            className="laid-from-left rounded-card bg-ice-surface p-4 sm:rounded-r-inner"
          />
          <Answer
            label={copy.breakTheIce.theirLabel}
            text={copy.breakTheIce.theirAnswer}
            className="laid-from-right rounded-card bg-ice-surface p-4 sm:rounded-l-inner"
          />
        </div>
        <p className="mt-6 text-lg font-extrabold text-ice">{copy.breakTheIce.result}</p>
      </div>
    </div>
  </section>
);
