import { reportSchema, type FileReport, type Report } from '@thaw/contract/safety';
import { request } from '@/lib/api-client';

/** The server copies the evidence before it responds; with an old message marked this may take longer. */
const timeoutMs = 30_000;

/** Reports a person. A repeated request, after a lost response, returns the existing report. */
export const fileReport = async (report: FileReport): Promise<Report> =>
  reportSchema.parse(await request('POST', '/api/reports', report, timeoutMs));
