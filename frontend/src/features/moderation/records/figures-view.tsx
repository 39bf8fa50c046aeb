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
const { columns } = texts;
const formatTenths = (value: number): string => String(Math.round(value * 10) / 10);
const formatDuration = (seconds: number | null): string =>
  seconds === null ? texts.none : formatSeconds(seconds);

const Figure = ({ label, value }: { label: string; value: string | number }) => (
  <div className="grid content-between gap-1 rounded-card bg-card p-4">
    <dt className="text-sm text-muted-foreground">{label}</dt>
    <dd className="text-xl font-bold tabular-nums">{value}</dd>
  </div>
);

interface TableSectionProps {
  title: string;
  columnTitles: readonly string[];
  /** Whether a text replaces the table. */
  isEmpty: boolean;
  /** The rows. */
  children: ReactNode;
}

const TableSection = ({ title, columnTitles, isEmpty, children }: TableSectionProps) => (
  <Section title={title}>
    {isEmpty ? (
      <MutedText>{texts.none}</MutedText>
    ) : (
      <table className="moderation-table">
        <thead>
          <tr>
            {columnTitles.map((columnTitle) => (
              <th key={columnTitle} scope="col">
                {columnTitle}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    )}
  </Section>
);

const ReportsSection = ({ reportsByCategory }: Pick<ModerationFigures, 'reportsByCategory'>) => {
  const reportedCategories = reportCategorySchema.options.filter(
    (category) => (reportsByCategory[category] ?? 0) > 0,
  );
  return (
    <TableSection
      title={texts.byCategory}
      columnTitles={[columns.category, columns.reports]}
      isEmpty={reportedCategories.length === 0}
    >
      {reportedCategories.map((category) => (
        <tr key={category}>
          <td>{shared.categories[category]}</td>
          <td>{reportsByCategory[category]}</td>
        </tr>
      ))}
    </TableSection>
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

const DecisionsSection = ({ decisions }: Pick<ModerationFigures, 'decisions'>) => (
  <TableSection
    title={texts.decisions}
    columnTitles={[columns.outcome, columns.moderator, columns.automatic]}
    isEmpty={decisions.length === 0}
  >
    {caseOutcomeSchema.options.map((outcome) => (
      <tr key={outcome}>
        <td>{shared.outcomes[outcome]}</td>
        <td>{countDecisions(decisions, outcome, 'moderator')}</td>
        <td>{countDecisions(decisions, outcome, 'automatic')}</td>
      </tr>
    ))}
  </TableSection>
);

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

const AppealsSection = ({ appeals }: Pick<ModerationFigures, 'appeals'>) => (
  <TableSection
    title={texts.appeals}
    columnTitles={[columns.moderator, columns.decided, columns.reversed, columns.share]}
    isEmpty={appeals.length === 0}
  >
    {appeals.map((appealsOfModerator) => (
      <AppealsRow key={appealsOfModerator.moderatorId} {...appealsOfModerator} />
    ))}
  </TableSection>
);

const Figures = ({ figures }: { figures: ModerationFigures }) => (
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
    <ReportsSection reportsByCategory={figures.reportsByCategory} />
    <DecisionsSection decisions={figures.decisions} />
    <AppealsSection appeals={figures.appeals} />
  </>
);

/** Figures of the last 30 days, and the current numbers of open cases and of people in care. */
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
