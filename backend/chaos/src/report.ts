import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AtRest } from './check/at-rest';
import type { Verdict, Violation } from './check/checker';
import { percentile, type RecoveryFigures } from './check/recovery';
import type { CausedFault } from './faults/injector';

/** Results of a run. */
export interface Report {
  seed: number;
  /** As `Date.now()`; times in the text report are relative to it. */
  startedAt: number;
  tookMs: number;
  people: number;
  faults: CausedFault[];
  skippedFaults: string[];
  verdict: Verdict;
  recovery: RecoveryFigures;
  /** Refused or unanswered commands by code. */
  refusals: Record<string, number>;
  /** Acknowledged commands by event. */
  acknowledged: Record<string, number>;
  /** How often users reached the Reconnect button. */
  gaveUp: number;
  before: AtRest;
  after: AtRest;
}

/** One check of a run, counted by `npm test`. */
interface Check {
  name: string;
  violations: Violation[];
}

const RULES = [
  'lost',
  'duplicate',
  'order',
  'cross-talk',
  'two chats or stuck',
  'not told',
  'left over',
  'private',
  'friends',
  'images',
  'at rest',
  'recovery',
  'noticed by a person',
] as const;
const SHOWN = 8;

const checksOf = ({ verdict }: Report): Check[] =>
  RULES.map((name) => ({ name, violations: verdict.violations.filter(({ rule }) => rule === name) }));

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const spread = (values: readonly number[]): string =>
  values.length === 0
    ? 'none'
    : `median ${inSeconds(percentile(values, 0.5))}, p99 ${inSeconds(percentile(values, 0.99))}, ` +
      `most ${inSeconds(Math.max(...values))}, of ${values.length}`;

const counts = (each: Record<string, number>): string =>
  Object.entries(each)
    .sort(([, first], [, second]) => second - first)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

/** The report as text. */
export const inWords = (report: Report): string => {
  const { verdict, faults, recovery } = report;
  const { chat, private: privately } = verdict.acknowledgements;
  const allowed = verdict.losses.filter(({ allowedBy }) => allowedBy !== undefined);
  const known = (values: readonly (number | undefined)[]) => values.filter((value) => value !== undefined);
  const lines = [
    `seed               ${report.seed}, ${report.people} people, ${inSeconds(report.tookMs)}`,
    `faults             ${faults.length}${faults.length ? ': ' : ''}${faults.map(({ label }) => label).join(', ')}`,
    ...report.skippedFaults.map((what) => `SKIPPED            ${what}`),
    `acknowledgements   ${chat + privately}: ${chat} in chats, ${privately} private`,
    `acknowledged       ${counts(report.acknowledged)}`,
    `refused            ${counts(report.refusals)}`,
    `losses             ${verdict.losses.length - allowed.length}, and ${allowed.length} that a fault allows`,
    ...lossesByFault(allowed),
    `duplicates         ${verdict.violations.filter(({ rule }) => rule === 'duplicate').length}`,
    `fresh clients      ${spread(known(recovery.fresh))}`,
    `people's returns   ${spread(known(recovery.returns))}`,
    `reconnect buttons  ${report.gaveUp}`,
    ...heaps(report),
    '',
  ];
  for (const { name, violations } of checksOf(report)) {
    lines.push(`${violations.length === 0 ? 'holds ' : 'BROKEN'}  ${name}`);
    for (const { what, at } of violations.slice(0, SHOWN))
      lines.push(`          ${at === undefined ? '' : `${inSeconds(at - report.startedAt)}: `}${what}`);
    if (violations.length > SHOWN) lines.push(`          … and ${violations.length - SHOWN} more`);
  }
  return lines.join('\n');
};

const lossesByFault = (allowed: Verdict['losses']): string[] => {
  const byFault: Record<string, number> = {};
  for (const { allowedBy = '' } of allowed) byFault[allowedBy] = (byFault[allowedBy] ?? 0) + 1;
  return Object.entries(byFault).map(([label, count]) => `                   ${count} by ${label}`);
};

const heaps = ({ before, after }: Report): string[] =>
  Object.entries(before.processes).map(([name, was]) => {
    const is = after.processes[name];
    const mib = (bytes = NaN): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
    return `heap of ${name.padEnd(10)} ${mib(was.heapBytes)} before, ${mib(is?.heapBytes)} after`;
  });

/** Writes the report as JSON, with `passed`, `failed` and `skipped` for the test run. */
export const writeReport = (file: string, report: Report): void => {
  const failed = checksOf(report).filter(({ violations }) => violations.length > 0).length;
  const totals = { passed: RULES.length - failed, failed, skipped: report.skippedFaults.length };
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...totals, ...report }, null, 2)}\n`);
};
