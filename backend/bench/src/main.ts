import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Driver } from './driver/driver-process';
import type { Outcome, Settings } from './figures/figure';
import { measureBlock } from './figures/block.figure';
import { measureCluster } from './figures/cluster.figure';
import { measureCost } from './figures/cost.figure';
import { measureCuts } from './figures/cuts.figure';
import { measureDelivery } from './figures/delivery.figure';
import { measureGateway } from './figures/gateway.figure';
import { measureHistory } from './figures/history.figure';
import { measureLeases } from './figures/leases.figure';
import { measureMatching } from './figures/matching.figure';
import { measureMemory } from './figures/memory.figure';
import { measureOpening } from './figures/opening.figure';
import { measurePrivateMessage } from './figures/private-message.figure';
import { measurePublications } from './figures/publications.figure';
import { measureRelay } from './figures/relay.figure';
import { measureSaturation } from './figures/saturation.figure';
import { measureSignUp } from './figures/sign-up.figure';
import { measureLaunch, measureReadiness } from './figures/start.figure';
import { measureStorm } from './figures/storm.figure';
import { measureWal } from './figures/wal.figure';
import { killAllServers } from './measure/server-process';
import { endAllStores } from './measure/stores';
import { type FigureName, parseOptions } from './options';
import { renderTable, writeResults } from './report';

/** A function that measures several figures leaves out those that are not wanted. */
type Measure = (driver: Driver, settings: Settings, wantedFigures: ReadonlySet<string>) => Promise<Outcome>;

/** The function that measures each figure. README.md lists the figures. */
const measurements: { figures: readonly FigureName[]; measure: Measure }[] = [
  { figures: ['P1', 'P2', 'P5'], measure: measureRelay },
  { figures: ['P3'], measure: measureGateway },
  { figures: ['P4'], measure: measureMemory },
  { figures: ['P6'], measure: measureMatching },
  { figures: ['P7'], measure: measurePublications },
  { figures: ['P8'], measure: measureDelivery },
  { figures: ['P9'], measure: measureHistory },
  { figures: ['P10'], measure: measurePrivateMessage },
  { figures: ['P11'], measure: measureCuts },
  { figures: ['P12'], measure: measureLaunch },
  { figures: ['P13'], measure: measureOpening },
  { figures: ['P14'], measure: measureSignUp },
  { figures: ['P15'], measure: measureSaturation },
  { figures: ['P16'], measure: measureStorm },
  { figures: ['P17'], measure: measureLeases },
  { figures: ['P18'], measure: measureReadiness },
  { figures: ['cluster'], measure: measureCluster },
  { figures: ['cost'], measure: measureCost },
  { figures: ['block'], measure: measureBlock },
  { figures: ['wal'], measure: measureWal },
];

const benchFolder = path.resolve(__dirname, '..');

const run = async (): Promise<void> => {
  const { wantedFigures, isShort, settings } = parseOptions(process.argv.slice(2));
  const driver = new Driver();
  const outcomes: Outcome[] = [];
  try {
    for (const { figures, measure } of measurements) {
      if (!figures.some((figure) => wantedFigures.has(figure))) continue;
      const outcome = await measure(driver, settings, wantedFigures);
      outcomes.push(outcome);
      writeRawMeasurements(figures, settings, outcome);
    }
  } finally {
    driver.end();
  }
  const rows = outcomes.flatMap((outcome) => outcome.rows);
  const faults = outcomes.flatMap((outcome) => outcome.faults);
  console.log(renderTable(rows));
  for (const fault of faults) console.log(`FAULT ${fault}`);
  // A short run measures too little to be kept.
  if (!isShort && faults.length === 0)
    await writeResults(path.join(benchFolder, 'results.md'), rows, settings);
  if (faults.length > 0) process.exitCode = 1;
};

const writeRawMeasurements = (
  figures: readonly string[],
  settings: Settings,
  { rows, faults, raw }: Outcome,
): void => {
  const folder = path.join(benchFolder, 'dist/raw');
  mkdirSync(folder, { recursive: true });
  const name = `${new Date().toISOString().replace(/[:.]/g, '-')}-${figures.join('-')}.json`;
  writeFileSync(path.join(folder, name), JSON.stringify({ settings, rows, faults, raw }, null, 1));
};

/** The exit code that shells report for an interrupted program: 128 + SIGINT. Used for SIGTERM, too. */
const INTERRUPTED_EXIT_CODE = 130;

const stopEverythingAndExit = (exitCode: number): void => {
  killAllServers();
  void endAllStores().finally(() => process.exit(exitCode));
};

process.once('SIGINT', () => stopEverythingAndExit(INTERRUPTED_EXIT_CODE));
process.once('SIGTERM', () => stopEverythingAndExit(INTERRUPTED_EXIT_CODE));

run().catch((error: unknown) => {
  console.error(error);
  stopEverythingAndExit(1);
});
