import { type Kept, type ReceiptContent, type Remaining } from '@thaw/contract/my-data';
import { useId, type ReactNode } from 'react';
import { copy } from '@/features/my-data/receipt/copy';
import { formatClockTime, formatTime } from '@/lib/time';
import { Button } from '@/ui/button';

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

const Section = ({ title, children }: { title: string; children: ReactNode }) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-8">
      <h2 id={id} className="text-lg font-bold">
        {title}
      </h2>
      {children}
    </section>
  );
};

interface CountsProps<Name extends string> {
  /** The label of each count, in the order to show. */
  labels: Record<Name, string>;
  /** May contain further counts, which are not shown: `NoInfer` makes `labels` alone determine `Name`. */
  counts: Readonly<Record<NoInfer<Name>, number>>;
  /** Shown when all counts are 0. */
  emptyText: string;
}

const Counts = <Name extends string>({ labels, counts, emptyText }: CountsProps<Name>) => {
  const namesToShow = (Object.keys(labels) as Name[]).filter((name) => counts[name] > 0);
  if (namesToShow.length === 0) return <p className="mt-2 text-base">{emptyText}</p>;
  return (
    <dl className="mt-2 divide-y divide-border text-base">
      {namesToShow.map((name) => (
        <div key={name} className="flex justify-between gap-4 py-2">
          <dt className="text-muted-foreground">{labels[name]}</dt>
          <dd className="font-semibold tabular-nums">{counts[name].toLocaleString()}</dd>
        </div>
      ))}
    </dl>
  );
};

const explainKept = ({ why, until }: Kept): string => {
  const date = until === null ? null : formatTime(dateFormat, Date.parse(until));
  return copy.kept.why[why](date);
};

const KeptList = ({ kept }: { kept: readonly Kept[] }) => (
  <Section title={copy.kept.title}>
    <ul className="mt-2 grid list-disc gap-2 pl-5 text-base marker:text-muted-foreground">
      {kept.map((item) => (
        <li key={`${item.what} ${item.why}`}>
          <span className="font-semibold">{item.what}</span>{' '}
          <span className="text-muted-foreground">{explainKept(item)}</span>
        </li>
      ))}
    </ul>
  </Section>
);

export interface RemainingDataProps {
  /** Numbers of items that are still stored, by kind. */
  counts: Remaining;
  /** In ms since the epoch. */
  countedAt: number;
  isCounting: boolean;
  onCountAgain: () => void;
}

const RemainingData = ({ counts, countedAt, isCounting, onCountAgain }: RemainingDataProps) => (
  <Section title={copy.remaining.title}>
    {counts.total > 0 ? <p className="mt-2 text-base">{copy.remaining.onlyKept}</p> : null}
    <Counts labels={copy.remaining.counts} counts={counts} emptyText={copy.remaining.none} />
    <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
      <p role="status" className="text-sm text-muted-foreground">
        {copy.remaining.countedAt(formatClockTime(countedAt))}
      </p>
      <Button variant="secondary" size="sm" disabled={isCounting} onClick={onCountAgain}>
        {isCounting ? copy.remaining.counting : copy.remaining.again}
      </Button>
    </div>
  </Section>
);

export interface ReceiptDetailsProps {
  content: ReceiptContent;
  /** Null when the server does not know the receipt; `content` then comes from a file that the user opened. */
  remaining: RemainingDataProps | null;
}

/**
 * What was erased, what was kept and why, what is stored now, and the horizons: after how long copies such as backups
 * disappear.
 */
export const ReceiptDetails = ({ content, remaining }: ReceiptDetailsProps) => {
  const { erased, kept, horizons } = content;
  return (
    <>
      <Section title={copy.erased.title}>
        <Counts labels={copy.erased.counts} counts={erased} emptyText={copy.erased.nothing} />
      </Section>
      {kept.length > 0 ? <KeptList kept={kept} /> : null}
      {remaining ? <RemainingData {...remaining} /> : null}
      <Section title={copy.horizons.title}>
        <ul className="mt-2 grid list-disc gap-1 pl-5 text-base text-muted-foreground">
          {copy.horizons.lines(horizons).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </Section>
    </>
  );
};
