import { caseOutcomeSchema } from '@thaw/contract/moderation';
import { type ModerationFigures } from '@thaw/contract/moderation-records';
import { reportCategorySchema } from '@thaw/contract/standing';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { figuresQuery } from '@/features/moderation/api/queries';
import { MutedText, Section } from '@/features/moderation/components/parts';
import { copy as shared } from '@/features/moderation/copy';
import { useModeratorName } from '@/features/moderation/hooks/use-moderator-name';
import { copy } from '@/features/moderation/records/copy';
import { RecordsHeading } from '@/features/moderation/records/records-heading';
import { formatSeconds } from '@/features/moderation/spans';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';

const texts = copy.figures;
const formatTenths = (value: number): string => String(Math.round(value * 10) / 10);
const formatDuration = (seconds: number | null): string =>
  seconds === null ? texts.none : formatSeconds(seconds);

const Figure = ({ label, value }: { label: string; value: string | number }) => (
  <div className="grid content-between gap-1 rounded-card bg-card p-4">
    <dt className="text-sm text-muted-foreground">{label}</dt>
    <dd className="text-xl font-bold tabular-nums">{value}</dd>
  </div>
);

const Table = ({ columns, children }: { columns: readonly string[]; children: ReactNode }) => (
  <table className="moderation-table">
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

const AppealsTable = ({ appeals }: Pick<ModerationFigures, 'appeals'>) => {
  const { columns } = texts;
  return (
    <Table columns={[columns.moderator, columns.decided, columns.reversed, columns.share]}>
      {appeals.map((figures) => (
        <AppealsRow key={figures.moderatorId} {...figures} />
      ))}
    </Table>
  );
};

/** The appeals against the decisions of one moderator. */
const AppealsRow = ({ moderatorId, decided, reversed }: ModerationFigures['appeals'][number]) => {
  const moderatorName = useModeratorName(moderatorId);
  return (
    <tr>
      <td>
        <bdi>{moderatorName}</bdi>
      </td>
      <td>{decided}</td>
      <td>{reversed}</td>
      <td>{decided === 0 ? texts.none : `${Math.round((100 * reversed) / decided)} %`}</td>
    </tr>
  );
};

const countDecisions = (
  decisions: ModerationFigures['decisions'],
  outcome: ModerationFigures['decisions'][number]['outcome'],
  by: 'moderator' | 'automatic',
): number =>
  decisions
    .filter((decision) => decision.outcome === outcome && decision.by === by)
    .reduce((sum, { count }) => sum + count, 0);

const Figures = ({ figures }: { figures: ModerationFigures }) => {
  const { columns } = texts;
  const categories = reportCategorySchema.options.filter(
    (category) => (figures.reportsByCategory[category] ?? 0) > 0,
  );
  return (
    <>
      <dl className="moderation-figures">
        <Figure label={texts.open} value={figures.openCases} />
        <Figure label={texts.oldest} value={formatDuration(figures.oldestOpenCaseAgeS)} />
        <Figure label={texts.p50} value={formatDuration(figures.timeToDecisionS.p50)} />
        <Figure label={texts.p95} value={formatDuration(figures.timeToDecisionS.p95)} />
        <Figure label={texts.reportRate} value={formatTenths(figures.reportsPer1000Matches)} />
        <Figure label={texts.blockRate} value={formatTenths(figures.blocksPer1000Matches)} />
        {/* People in care are matched only with each other, until a moderator has reviewed their case. */}
        <Figure label={texts.care} value={figures.carePool} />
      </dl>
      <Section title={texts.byCategory}>
        {categories.length === 0 ? (
          <MutedText>{texts.none}</MutedText>
        ) : (
          <Table columns={[columns.category, columns.reports]}>
            {categories.map((category) => (
              <tr key={category}>
                <td>{shared.categories[category]}</td>
                <td>{figures.reportsByCategory[category]}</td>
              </tr>
            ))}
          </Table>
        )}
      </Section>
      <Section title={texts.decisions}>
        {figures.decisions.length === 0 ? (
          <MutedText>{texts.none}</MutedText>
        ) : (
          <Table columns={[columns.outcome, columns.moderator, columns.automatic]}>
            {caseOutcomeSchema.options.map((outcome) => (
              <tr key={outcome}>
                <td>{shared.outcomes[outcome]}</td>
                <td>{countDecisions(figures.decisions, outcome, 'moderator')}</td>
                <td>{countDecisions(figures.decisions, outcome, 'automatic')}</td>
              </tr>
            ))}
          </Table>
        )}
      </Section>
      <Section title={texts.appeals}>
        {figures.appeals.length === 0 ? (
          <MutedText>{texts.none}</MutedText>
        ) : (
          <AppealsTable appeals={figures.appeals} />
        )}
      </Section>
    </>
  );
};

/** Statistics of the moderation in the last 30 days. */
export const FiguresView = () => {
  const { data: figures, isError, refetch } = useQuery(figuresQuery);
  return (
    <>
      {/* The lead states the aims for the times to a decision below. */}
      <RecordsHeading title={texts.title} lead={shared.queue.responseAims} />
      {figures ? (
        <Figures figures={figures} />
      ) : isError ? (
        <LoadError text={shared.failed} onRetry={() => void refetch()} />
      ) : (
        <ListSkeleton label={shared.loading} />
      )}
    </>
  );
};
