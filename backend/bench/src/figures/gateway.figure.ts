import path from 'node:path';
import type { CommandResult } from '../driver/command-load';
import type { Driver } from '../driver/driver-process';
import { profiling } from '../measure/profiling';
import { ServerProcess } from '../measure/server-process';
import { median, ratios } from '../measure/statistics';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { micros, type Outcome, type Row, say, type Settings, wait } from './figure';

interface Entrant {
  name: string;
  group: number;
  server: ServerProcess;
}

const WARM_UP_SECONDS = 2;

/** P3: what a command costs that is authenticated, checked, decided and acknowledged, and stores nothing. */
export const measureGateway = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const profiler = profiling(settings.profiles);
  const service = await Service.start(stores, { replicas: 2, ...profiler.options('gateway') });
  const peers: ServerProcess[] = [];
  const entrants: Entrant[] = [];
  const enterPeer = async (name: string, script: string, isRefInData: boolean): Promise<void> => {
    const { server, port } = await ServerProcess.startPeer({
      name,
      script: path.join(__dirname, '../peers', script),
      logFile: path.join(stores.home, 'peers.log'),
      env: { ...process.env, NODE_ENV: 'production' },
    });
    peers.push(server);
    const origins = [`http://127.0.0.1:${port}`];
    const group = await driver.call('openCommands', { origins, sockets: settings.pairs, isRefInData });
    entrants.push({ name, group, server });
  };
  try {
    await enterPeer('bare ws', 'bare-echo.js', false);
    const [replica] = service.replicas;
    if (!replica) throw new Error('No replica');
    const group = await driver.call('openCommands', { origins: service.origins, sockets: settings.pairs });
    entrants.push({ name: 'thaw', group, server: replica.server });
    await enterPeer('stock Nest', 'stock-nest.js', true);

    const perSecond = settings.commandsPerSecond;
    const faults: string[] = [];
    for (const { name, group: index } of entrants) {
      const load = await driver.call('command', { group: index, perSecond, seconds: WARM_UP_SECONDS });
      faults.push(...faultsOf(`${name}, warming up`, load));
    }
    const turns = new Map<string, number[]>();
    for (let round = 1; round <= settings.rounds; round += 1) {
      say(`gateway, round ${round} of ${settings.rounds}`);
      for (const { name, group: index, server } of entrants) {
        const before = server.cpuMicros;
        const load = await driver.call('command', { group: index, perSecond, seconds: settings.seconds });
        const perCommand = (server.cpuMicros - before) / load.sent;
        turns.set(name, [...(turns.get(name) ?? []), perCommand]);
        faults.push(...faultsOf(name, load));
        say(`  ${name}: ${micros(perCommand)}`);
      }
    }
    if (settings.profiles) {
      profiler.toggle([replica.server]);
      await driver.call('command', { group, perSecond, seconds: 10 });
      profiler.toggle([replica.server]);
      await wait(1_000);
      profiler.report('gateway');
    }
    return { rows: rowsOf(turns), faults, raw: Object.fromEntries(turns) };
  } finally {
    for (const { group } of entrants) await driver.call('close', { group }).catch(() => null);
    await Promise.all([service.stop(), ...peers.map((server) => server.stop())]);
    await stores.end();
  }
};

const faultsOf = (name: string, { sent, acked, disorders, refusal = '' }: CommandResult): string[] =>
  sent === acked && disorders === 0
    ? []
    : [`${name}: ${sent} commands, ${acked} acknowledged, ${disorders} refused or out of order ${refusal}`];

const rowsOf = (turns: ReadonlyMap<string, readonly number[]>): Row[] => {
  const ours = turns.get('thaw') ?? [];
  return (
    [
      ['bare ws', 1.6, '≤ 1.35'],
      ['stock Nest', undefined, '≤ 0.5'],
    ] as const
  ).map(([against, gate, aim]) => {
    const theirs = turns.get(against) ?? [];
    const ratio = ratios(ours, theirs);
    return {
      figure: 'P3',
      what: 'CPU per command through the gateway',
      ours: micros(median(ours)),
      against,
      theirs: micros(median(theirs)),
      ratio,
      gate: gate === undefined ? '' : `≤ ${gate}`,
      aim,
      isReached: gate === undefined ? undefined : ratio.median <= gate,
    };
  });
};
