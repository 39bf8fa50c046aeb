import type { Report } from '@thaw/contract/safety';
import type { StoredEvidence } from '../modules/conduct/application/evidence.service';
import type { TestStack } from './test-stack.harness';
import type { ThawVisitor } from './thaw.client';

type HasId = { user: { id: number } };

/** Calls the route that files a report. */
export const fileReport = async (
  reporter: ThawVisitor,
  target: HasId,
  fields: Record<string, unknown> = {},
): Promise<{ status: number; body: Report & { code?: string } }> => {
  const body = { reporterId: reporter.user.id, targetId: target.user.id, category: 'sexual', ...fields };
  return (await reporter.call('POST', '/api/reports', body)) as never;
};

/** What the log has about a report. */
export interface StoredReport {
  reportId: number;
  caseId: number;
  weight: number;
  countsAs: number;
  evidenceHash: string;
  context: object;
  /** Absent once erased. */
  words?: string | null;
  /** The JSON text. Absent once erased. */
  evidence?: string;
}

/** The reports about a user, from the log and its personal data. */
export const readStoredReports = async (
  { database }: Pick<TestStack, 'database'>,
  { user }: HasId,
): Promise<StoredReport[]> => {
  const rows = await database.dataSource.query<{ data: StoredReport; personal: object | null }[]>(
    `SELECT e.data, p.data AS personal FROM events e LEFT JOIN event_private p USING (stream_id, event_id)
     WHERE stream_id = $1 AND e.type = 'ReportFiled' ORDER BY stream_position`,
    [`conduct-${user.id}`],
  );
  return rows.map(({ data, personal }) => ({ ...data, ...personal }));
};

/** The texts of the evidence's messages, newest versions. */
export const readEvidenceTexts = ({ evidence = '{"messages":[]}' }: StoredReport): (string | undefined)[] =>
  (JSON.parse(evidence) as StoredEvidence).messages.map(({ versions }) => versions.at(-1));
