import type { Report } from '@thaw/contract/safety';
import type { StoredEvidence } from '../modules/conduct/application/evidence.service';
import type { TestStack } from './test-stack.harness';
import type { ThawVisitor } from './thaw.client';

type WithUser = { user: { id: number } };

interface ReportResponse {
  status: number;
  body: Report & { code?: string };
}

/** Calls the route that files a report. */
export const fileReport = async (
  reporter: ThawVisitor,
  target: WithUser,
  fields: Record<string, unknown> = {},
): Promise<ReportResponse> => {
  const body = { reporterId: reporter.user.id, targetId: target.user.id, category: 'sexual', ...fields };
  return (await reporter.call('POST', '/api/reports', body)) as unknown as ReportResponse;
};

/** The data and the personal data of a `ReportFiled` event. */
export interface StoredReport {
  reportId: number;
  caseId: number;
  weight: number;
  /**
   * The reporter's id, or that of an account on the same device that reported in the case before. Reports of a case
   * with the same `countsAs` count as those of one reporter.
   */
  countsAs: number;
  evidenceHash: string;
  /** The reported chat, a `ReportContext`. */
  context: object;
  /** The text that the reporter wrote; null if there is none. Absent once erased. */
  words?: string | null;
  /** JSON text of a `StoredEvidence`. Absent once erased. */
  evidence?: string;
}

/** The reports about a user, oldest first, from the event store. */
export const readStoredReports = async (
  { database }: Pick<TestStack, 'database'>,
  { user }: WithUser,
): Promise<StoredReport[]> => {
  const rows = await database.dataSource.query<{ data: StoredReport; personal: object | null }[]>(
    `SELECT e.data, p.data AS personal FROM events e LEFT JOIN event_private p USING (stream_id, event_id)
     WHERE stream_id = $1 AND e.type = 'ReportFiled' ORDER BY stream_position`,
    [`conduct-${user.id}`],
  );
  return rows.map(({ data, personal }) => ({ ...data, ...personal }));
};

/** The newest text of each message in the evidence; empty once the evidence is erased. */
export const readEvidenceTexts = ({ evidence = '{"messages":[]}' }: StoredReport): (string | undefined)[] =>
  (JSON.parse(evidence) as StoredEvidence).messages.map(({ versions }) => versions.at(-1));
