import { reportSchema, type FileReport, type Report } from '@thaw/contract/safety';
import { request } from '@/lib/api-client';

/** The server copies the evidence before it answers, which may take longer with an old message marked. */
const timeoutMs = 30_000;

/** Reports a person. The same report again, after a lost response, returns the report that stands. */
export const fileReport = async (report: FileReport): Promise<Report> =>
  reportSchema.parse(await request('POST', '/api/reports', report, timeoutMs));
