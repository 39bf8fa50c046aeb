import { Cluster } from './cluster/cluster';
import { readOptions } from './options';
import { renderReport, writeReport } from './report';
import { Run } from './run';

/** Exit code 0: everything held; 1: something was violated; 2: the run failed. */
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
    void cluster.stop().finally(() => process.exit(130));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const report = await new Run(cluster, options, startedAt, log).execute();
    process.stdout.write(`\n${renderReport(report)}\n`);
    if (options.report) writeReport(options.report, report);
    return report.verdict.violations.length === 0 ? 0 : 1;
  } finally {
    if (!isInterrupted) await cluster.stop();
  }
};

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(2);
  },
);
