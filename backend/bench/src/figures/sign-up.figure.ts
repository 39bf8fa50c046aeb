import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import { PostgresMeter } from '../measure/postgres';
import { ServerProcess } from '../measure/server-process';
import { computeRatios, median } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import {
  formatMicros,
  orderForRound,
  logProgress,
  type Outcome,
  type Row,
  type Settings,
  wait,
} from './figure';

/** Pause before the second reading of the CPU time: work after the responses, such as publications, counts too. */
const SETTLE_MS = 500;
const BASELINE = 'Nest, Passport, TypeORM';
/** Limits of the ratio of our CPU time to the baseline's. `Row` describes `gate` and `aim`. */
const nodeRatioLimits = { gate: 1, aim: 0.6 };

/** CPU µs per sign-up in one turn (one contender in one round). */
interface Turn {
  /** Of the process that serves the request: an api replica of Thaw, or the baseline. */
  node: number;
  postgres: number;
}

/** Thaw or the baseline to compare it with. */
interface Contender {
  name: string;
  origin: string;
  server: ServerProcess;
  postgres: PostgresMeter;
}

/**
 * Figure P14 (README.md of the bench): CPU µs of the replica and of PostgreSQL for an anonymous sign-up. Compared with
 * the same request to an application of Nest, Passport and TypeORM, set up as in their documentation.
 */
export const measureSignUp = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const baselineStores = await BenchStores.open({ hasDatabase: true });
  const service = await Service.start(stores, { replicas: 1, hasWorker: false });
  const { server: baseline, port } = await ServerProcess.startBaseline({
    name: BASELINE,
    script: path.join(__dirname, '../baselines/stock-sign-up.js'),
    logFile: path.join(baselineStores.home, 'baselines.log'),
    env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: baselineStores.databaseUrl },
  });
  const contenders: Contender[] = [];
  try {
    const [replica] = service.replicas;
    if (!replica) throw new Error('No replica');
    const { origin, server } = replica;
    contenders.push({ name: 'thaw', origin, server, postgres: await PostgresMeter.open(stores.databaseUrl) });
    contenders.push({
      name: BASELINE,
      origin: `http://127.0.0.1:${port}`,
      server: baseline,
      postgres: await PostgresMeter.open(baselineStores.databaseUrl),
    });
    const turns = new Map<string, Turn[]>();
    // Round 0 warms up and is not counted.
    for (let round = 0; round <= settings.rounds; round += 1) {
      for (const contender of orderForRound(contenders, round)) {
        const turn = await measureTurn(driver, contender, settings.signUps);
        if (round === 0) continue;
        turns.set(contender.name, [...(turns.get(contender.name) ?? []), turn]);
        const { node, postgres } = turn;
        logProgress(
          `sign-up, round ${round}, ${contender.name}: ${formatMicros(node)}, postgres ${formatMicros(postgres)}`,
        );
      }
    }
    return { rows: createRows(turns), faults: [], raw: Object.fromEntries(turns) };
  } finally {
    for (const { postgres } of contenders) await postgres.end();
    await baseline.stop();
    await service.stop();
    await stores.end();
    await baselineStores.end();
  }
};

const measureTurn = async (
  driver: Driver,
  { origin, server, postgres }: Contender,
  signUps: number,
): Promise<Turn> => {
  const [nodeBefore, postgresBefore] = [server.cpuMicros, postgres.cpuMicros];
  const group = await driver.call('signUp', { origin, visitors: signUps });
  await wait(SETTLE_MS);
  const turn = {
    node: (server.cpuMicros - nodeBefore) / signUps,
    postgres: (postgres.cpuMicros - postgresBefore) / signUps,
  };
  await driver.call('closeGroup', { group });
  return turn;
};

const createRows = (turns: ReadonlyMap<string, readonly Turn[]>): Row[] => {
  const createRow = (
    label: string,
    processKind: keyof Turn,
    ratioLimits?: { gate: number; aim: number },
  ): Row => {
    const getValues = (name: string): number[] => (turns.get(name) ?? []).map((turn) => turn[processKind]);
    const [ours, theirs] = [getValues('thaw'), getValues(BASELINE)];
    const ratio = computeRatios(ours, theirs);
    return {
      figure: 'P14',
      label,
      ours: formatMicros(median(ours)),
      against: BASELINE,
      theirs: formatMicros(median(theirs)),
      ratio,
      gate: ratioLimits ? `≤ ${ratioLimits.gate}` : '',
      aim: ratioLimits ? `≤ ${ratioLimits.aim}` : '',
      isReached: ratioLimits && ratio.median <= ratioLimits.gate,
    };
  };
  return [
    createRow('api CPU of an anonymous sign-up', 'node', nodeRatioLimits),
    createRow('PostgreSQL CPU of a sign-up', 'postgres'),
  ];
};
