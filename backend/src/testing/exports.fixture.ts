import { createHash } from 'node:crypto';
import {
  type ExportEvent,
  type ExportLine,
  exportLineSchema,
  type ExportReady,
  type ExportRecord,
} from '@thaw/contract/my-data-export';
import type { ThawVisitor } from './thaw.client';

/** Asks for an export. @returns the address of the download. */
export const requestExport = async (visitor: ThawVisitor, currentPassword?: string): Promise<string> => {
  const { status, body } = await visitor.call('POST', `/api/my-data/${visitor.user.id}/export`, {
    currentPassword,
  });
  if (status !== 201) throw new Error(`The export answered ${status}`);
  return (body as unknown as ExportReady).url;
};

/** Starts a download. */
export const openDownload = (
  visitor: ThawVisitor,
  url: string,
  { origin = visitor.origins[0] ?? '', signal }: { origin?: string; signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(`${origin}${url}`, { headers: { cookie: visitor.cookie }, signal: signal ?? null });

export interface ParsedExport {
  lines: ExportLine[];
  events: ExportEvent[];
  records: ExportRecord[];
}

/** Parses a complete export, and checks its counts and its hash. */
export const parseExport = (text: string): ParsedExport => {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => exportLineSchema.parse(JSON.parse(line)));
  const trailer = lines.at(-1);
  if (trailer?.kind !== 'trailer') throw new Error('The export has no trailer');
  const events = lines.filter((line) => line.kind === 'event');
  const records = lines.filter((line) => line.kind === 'record');
  const before = text.slice(0, text.lastIndexOf('{"kind":"trailer"'));
  const sha256 = createHash('sha256').update(before).digest('hex');
  expect(trailer).toEqual({ kind: 'trailer', events: events.length, records: records.length, sha256 });
  return { lines, events, records };
};

/** Downloads the export of a user. */
export const downloadExport = async (
  visitor: ThawVisitor,
  currentPassword?: string,
): Promise<ParsedExport> => {
  const response = await openDownload(visitor, await requestExport(visitor, currentPassword));
  if (response.status !== 200) throw new Error(`The download answered ${response.status}`);
  return parseExport(await response.text());
};

/** `<section> <type>` of each event, and `<table>` of each record, without repetitions. */
export const summarizeExport = ({ events, records }: ParsedExport): string[] => [
  ...new Set([
    ...events.map(({ section, type }) => `${section} ${type}`),
    ...records.map(({ table }) => table),
  ]),
];
