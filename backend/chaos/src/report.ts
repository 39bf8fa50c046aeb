import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { IdleState } from './check/idle-state';
import type { Verdict, Violation } from './check/evidence-checker';
import { percentile, type RecoveryFigures } from './check/recovery';
import type { CausedFault } from './faults/injector';

/** Results of a run. */
export interface Report {
  seed: number;
  /** As `Date.now()`; times in the text report are relative to it. */
  startedAt: number;
  tookMs: number;
  userCount: number;
  faults: CausedFault[];
  /** Faults that this machine cannot cause, each with the reason. */
  skippedFaults: string[];
  verdict: Verdict;
  recovery: RecoveryFigures;
  /** Refused or unanswered commands by code. */
  refusals: Record<string, number>;
  /** Acknowledged commands by event. `verdict.acknowledgements` counts only chat events and private messages. */
  acknowledged: Record<string, number>;
  /** How often pages gave up and showed the Reconnect button. */
  gaveUpCount: number;
  /** State without connected users, before the first fault and after the last one. */
  before: IdleState;
  after: IdleState;
}

/** One check of a run. `npm test` counts it as a passed or failed test. */
interface Check {
  name: string;
  violations: Violation[];
}

/** The rules of a run, which check/evidence-checker.ts describes. */
const RULES = [
  'lost',
  'duplicate',
  'order',
  'cross-talk',
  'two chats or stuck',
  'not notified',
  'left over',
  'private',
  'friends',
  'images',
  'at rest',
  'recovery',
  'noticed by a user',
] as const;
const MAX_SHOWN_VIOLATIONS = 8;

const listChecks = ({ verdict }: Report): Check[] =>
  RULES.map((name) => ({ name, violations: verdict.violations.filter(({ rule }) => rule === name) }));

const renderSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const renderDurations = (values: readonly number[]): string =>
  values.length === 0
    ? 'none'
    : `median ${renderSeconds(percentile(values, 0.5))}, p99 ${renderSeconds(percentile(values, 0.99))}, ` +
      `maximum ${renderSeconds(Math.max(...values))}, of ${values.length}`;

/** The highest count is first. */
const renderCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .sort(([, first], [, second]) => second - first)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

/** Renders the report as text for the console. */
export const renderReport = (report: Report): string => {
  const { verdict, faults, recovery } = report;
  const { chat: chatCount, private: privateCount } = verdict.acknowledgements;
  const explainedLossCount = verdict.losses.filter(({ explainedBy }) => explainedBy !== undefined).length;
  /** Leaves out failures, whose duration is undefined. The check `recovery` reports them. */
  const selectDefined = (values: readonly (number | undefined)[]) =>
    values.filter((value) => value !== undefined);
  const lines = [
    `seed               ${report.seed}, ${report.userCount} users, ${renderSeconds(report.tookMs)}`,
    `faults             ${faults.length}${faults.length ? ': ' : ''}${faults.map(({ label }) => label).join(', ')}`,
    ...report.skippedFaults.map((faultAndReason) => `SKIPPED            ${faultAndReason}`),
    `acknowledgements   ${chatCount + privateCount}: ${chatCount} in chats, ${privateCount} private`,
    `acknowledged       ${renderCounts(report.acknowledged)}`,
    `refused            ${renderCounts(report.refusals)}`,
    `losses             ${verdict.losses.length - explainedLossCount} unexplained, ${explainedLossCount} explained by a fault`,
    ...renderLossesByFault(verdict.losses),
    `duplicates         ${verdict.violations.filter(({ rule }) => rule === 'duplicate').length}`,
    `fresh clients      ${renderDurations(selectDefined(recovery.fresh))}`,
    `user reconnects    ${renderDurations(selectDefined(recovery.reconnects))}`,
    `reconnect buttons  ${report.gaveUpCount}`,
    ...renderHeaps(report),
    '',
  ];
  for (const { name, violations } of listChecks(report)) {
    lines.push(`${violations.length === 0 ? 'holds ' : 'BROKEN'}  ${name}`);
    for (const { description, noticedAt } of violations.slice(0, MAX_SHOWN_VIOLATIONS)) {
      const time = noticedAt === undefined ? '' : `${renderSeconds(noticedAt - report.startedAt)}: `;
      lines.push(`          ${time}${description}`);
    }
    if (violations.length > MAX_SHOWN_VIOLATIONS)
      lines.push(`          … and ${violations.length - MAX_SHOWN_VIOLATIONS} more`);
  }
  return lines.join('\n');
};

/** Renders the number of explained losses of each fault. */
const renderLossesByFault = (losses: Verdict['losses']): string[] => {
  const counts: Record<string, number> = {};
  for (const { explainedBy } of losses)
    if (explainedBy !== undefined) counts[explainedBy] = (counts[explainedBy] ?? 0) + 1;
  return Object.entries(counts).map(([label, count]) => `                   ${count} by ${label}`);
};

const renderHeaps = ({ before, after }: Report): string[] =>
  Object.entries(before.processes).map(([name, { heapBytes }]) => {
    const heapBytesAfter = after.processes[name]?.heapBytes;
    // NaN for a process that did not respond after the last fault.
    const formatMiB = (bytes = NaN): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
    return `heap of ${name.padEnd(10)} ${formatMiB(heapBytes)} before, ${formatMiB(heapBytesAfter)} after`;
  });

/** Writes the report as JSON, with the counts `passed`, `failed` and `skipped`, which `npm test` reads. */
export const writeReport = (file: string, report: Report): void => {
  const failed = listChecks(report).filter(({ violations }) => violations.length > 0).length;
  const totals = { passed: RULES.length - failed, failed, skipped: report.skippedFaults.length };
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...totals, ...report }, null, 2)}\n`);
};
