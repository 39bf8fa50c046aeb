import { type CaseReport, type ModerationCase } from '@thaw/contract/moderation';
import { Chip, MutedText, IsolatedName, Section } from '@/features/moderation/components/parts';
import { copy } from '@/features/moderation/copy';
import { formatMoment } from '@/features/moderation/spans';

const Report = ({ report, reporterName }: { report: CaseReport; reporterName: string }) => (
  <li className="grid gap-1">
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="font-semibold">{copy.categories[report.category]}</span>
      <span className="text-sm text-muted-foreground">
        <IsolatedName>{copy.reports.by(reporterName)}</IsolatedName>,{' '}
        <time dateTime={report.createdAt}>{formatMoment(report.createdAt)}</time>
      </span>
      {/* Reports by suspended, banned or unreliable reporters have weight 0. */}
      {report.weight === 0 ? <Chip>{copy.reports.notCounted}</Chip> : null}
    </p>
    {/* `words` is null once the text is erased, and empty if the reporter wrote none. */}
    {report.words === null || report.words === '' ? (
      <MutedText>{report.words === null ? copy.reports.erased : copy.reports.noWords}</MutedText>
    ) : (
      <blockquote className="border-b-0 text-base wrap-anywhere whitespace-pre-wrap">
        <bdi>{report.words}</bdi>
      </blockquote>
    )}
    <p className="text-sm text-muted-foreground">
      {copy.reports.accuracy(report.accuracy.upheld, report.accuracy.decided)}
    </p>
  </li>
);

/** The reports of a case, with the words of each reporter and how many of their earlier reports led to action. */
export const CaseReports = ({ moderationCase }: { moderationCase: ModerationCase }) => {
  const usernames = new Map(
    moderationCase.evidence.flatMap(({ people }) => people.map(({ id, username }) => [id, username])),
  );
  if (moderationCase.reports.length === 0) return null;
  return (
    <Section title={copy.reports.title}>
      <ul aria-label={copy.reports.title} className="grid gap-4">
        {moderationCase.reports.map((report) => (
          <Report
            key={report.id}
            report={report}
            reporterName={usernames.get(report.reporterId) ?? copy.someone(report.reporterId)}
          />
        ))}
      </ul>
    </Section>
  );
};
