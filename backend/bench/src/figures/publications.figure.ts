import path from 'node:path';
import type { Driver } from '../driver/driver-process';
import type { ContenderKind } from '../driver/pairs';
import type { RelayResult } from '../driver/relay-load';
import { PublicationCounter } from '../measure/publication-counter';
import { ServerProcess } from '../measure/server-process';
import { BenchStores } from '../measure/stores';
import { Service } from '../service';
import { type Outcome, type Row, logProgress, type Settings, wait } from './figure';

const PAIRS = 20;
const MESSAGES_PER_SECOND = 100;
const SECONDS = 3;
/** Time in which the last publications reach all replicas. */
const SETTLE_MS = 200;
/** Channels on which a replica of Thaw publishes to itself, to check its subscriptions. They are not counted. */
const PROBE_CHANNEL = /probe:/;
/** Matches nothing: the Socket.IO baseline has no such channel. */
const NO_CHANNEL = /^$/;

/** Result for one number of replicas. */
interface PublicationCount {
  replicas: number;
  messages: number;
  /** Publications that reached replicas without a participant of a chat. */
  foreign: number;
}

/**
 * P7: Redis publications per message that reach a replica on which the chat has no participant (foreign publications),
 * by the number of replicas. Compared with Socket.IO, whose adapter publishes to all replicas.
 */
export const measurePublications = async (driver: Driver, settings: Settings): Promise<Outcome> => {
  const faults: string[] = [];
  const thaw: PublicationCount[] = [];
  const socketIo: PublicationCount[] = [];
  for (const replicas of settings.replicaCounts) {
    thaw.push(await countForThaw(driver, replicas, faults));
    socketIo.push(await countForSocketIo(driver, replicas, faults));
    logProgress(
      `publications at ${replicas} replicas: thaw ${thaw.at(-1)?.foreign}, socket.io ${socketIo.at(-1)?.foreign}`,
    );
  }
  const rows = thaw.map((ours, index): Row => {
    const formatPerMessage = ({ foreign, messages }: PublicationCount): string =>
      (foreign / messages).toFixed(2);
    const theirs = socketIo[index];
    return {
      figure: 'P7',
      label: `Foreign publications per message, ${ours.replicas} replicas`,
      ours: formatPerMessage(ours),
      against: 'socket.io',
      theirs: theirs ? formatPerMessage(theirs) : '',
      gate: '0',
      aim: '',
      isReached: ours.foreign === 0,
    };
  });
  return { rows, faults, raw: { thaw, socketIo } };
};

const countForThaw = async (
  driver: Driver,
  replicas: number,
  faults: string[],
): Promise<PublicationCount> => {
  const stores = await BenchStores.open({ hasDatabase: true });
  const counters = await openCounters(stores.redisUrl, replicas, PROBE_CHANNEL);
  const redisUrls = counters.map(({ url }) => url);
  const service = await Service.start(stores, { replicas, hasWorker: false, redisUrls });
  try {
    return await countForeignPublications(driver, 'thaw', service.origins, counters, faults);
  } finally {
    await service.stop();
    for (const counter of counters) counter.close();
    await stores.end();
  }
};

const countForSocketIo = async (
  driver: Driver,
  replicas: number,
  faults: string[],
): Promise<PublicationCount> => {
  const stores = await BenchStores.open({ hasDatabase: false });
  const counters = await openCounters(stores.redisUrl, replicas, NO_CHANNEL);
  const baselines: { server: ServerProcess; port: number }[] = [];
  try {
    for (const [index, { url }] of counters.entries()) {
      const baseline = await ServerProcess.startBaseline({
        name: `socket.io ${index + 1}`,
        script: path.join(__dirname, '../baselines/socket-io-relay.js'),
        logFile: path.join(stores.home, 'socket-io.log'),
        env: { ...process.env, NODE_ENV: 'production', REDIS_URL: url },
      });
      baselines.push(baseline);
    }
    const origins = baselines.map(({ port }) => `http://127.0.0.1:${port}`);
    return await countForeignPublications(driver, 'socket.io', origins, counters, faults);
  } finally {
    await Promise.all(baselines.map(({ server }) => server.stop()));
    for (const counter of counters) counter.close();
    await stores.end();
  }
};

const openCounters = (redisUrl: string, count: number, ownChannel: RegExp): Promise<PublicationCounter[]> =>
  Promise.all(Array.from({ length: count }, () => PublicationCounter.open(redisUrl, ownChannel)));

/** All pairs are on the first two replicas, so every publication to another replica is foreign. */
const countForeignPublications = async (
  driver: Driver,
  kind: ContenderKind,
  [first = '', second = '', ...others]: readonly string[],
  counters: readonly PublicationCounter[],
  faults: string[],
): Promise<PublicationCount> => {
  const group = await driver.call('openRelay', { kind, origins: [first, second], pairs: PAIRS });
  // Discards the publications before the load.
  for (const counter of counters) counter.takeCount();
  const result = await driver.call('runRelay', { group, perSecond: MESSAGES_PER_SECOND, seconds: SECONDS });
  await wait(SETTLE_MS);
  const countsByReplica = counters.map((counter) => counter.takeCount());
  await driver.call('closeGroup', { group });
  faults.push(...findFaults(kind, result, countsByReplica.slice(0, 2)));
  const foreign = countsByReplica.slice(2).reduce((sum, count) => sum + count, 0);
  return { replicas: others.length + 2, messages: result.sent, foreign };
};

/** Checks that the messages arrived in order, and that the counters of the two replicas with the pairs work. */
const findFaults = (
  kind: ContenderKind,
  { sent, received, outOfOrder }: RelayResult,
  pairCounts: readonly number[],
): string[] => {
  const faults: string[] = [];
  if (received !== sent || outOfOrder > 0)
    faults.push(`${kind}: ${sent} sent, ${received} received, ${outOfOrder} out of order`);
  // The users of a pair are on different replicas and take turns to send, so each of the two replicas receives a
  // publication for about half of the messages or more. A counter that counts less than half of these is broken, and
  // the figure would be too low.
  if (pairCounts.some((count) => count < sent / 4))
    faults.push(`${kind}: the two replicas with the pairs received only ${pairCounts.join(' and ')}`);
  return faults;
};
