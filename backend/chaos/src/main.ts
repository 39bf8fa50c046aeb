import { Cluster } from './cluster/cluster';
import { readOptions } from './options';
import { renderReport, writeReport } from './report';
import { Run } from './run';

/** The exit code that shells report for an interrupted program: 128 + SIGINT. Used for SIGTERM, too. */
const INTERRUPTED_EXIT_CODE = 130;
const FAILED_RUN_EXIT_CODE = 2;

/** @returns the exit code: 0 when all checks passed, 1 when one failed. @throws Error when the run fails */
const main = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2));
  const startedAt = Date.now();
  const log = (text: string): void => {
    const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1).padStart(7);
    process.stdout.write(`${seconds} s  ${text}\n`);
  };
  log(`seed ${options.seed}`);
  const cluster = await Cluster.start();
  let isInterrupted = false;
  const interrupt = (): void => {
    if (isInterrupted) return;
    isInterrupted = true;
    void cluster.stop().finally(() => process.exit(INTERRUPTED_EXIT_CODE));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const report = await new Run(cluster, options, startedAt, log).execute();
    process.stdout.write(`\n${renderReport(report)}\n`);
    if (options.reportFile) writeReport(options.reportFile, report);
    return report.verdict.violations.length === 0 ? 0 : 1;
  } finally {
    if (!isInterrupted) await cluster.stop();
  }
};

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(FAILED_RUN_EXIT_CODE);
  },
);
