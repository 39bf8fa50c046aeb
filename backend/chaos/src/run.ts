import { setTimeout as sleep } from 'node:timers/promises';
import { type AtRest, atBoth, growth } from './check/at-rest';
import { check, type LossWindow, type Violation } from './check/checker';
import type { PersonLog } from './check/logs';
import { type RecoveryFigures, returnsAfter, slowness } from './check/recovery';
import { type Backlog, backlog, lastingKeys, readTruth } from './check/truth';
import { type Cluster, topology } from './cluster/cluster';
import { estimateSlowdown } from '#testing/processor-load.probe';
import { Injector } from './faults/injector';
import type { Inspection } from './inspect-process';
import type { Options } from './options';
import { Population } from './people/population';
import { probe } from './people/probe';
import type { Report } from './report';
import { allFaults, type Fault, isLossy, labelOf, schedule } from './schedule';

const WARM_UP_MS = 8_000;
const NOT_RECEIVED_MS = 30_000;
const CALM_MS = 3_000;
const DRAINED_WITHIN_MS = 60_000;
const AT_REST_WITHIN_MS = 40_000;
/** Longer than the whole back-off of a page. */
const LONG_CUT_MS = 40_000;

/** One run: warm-up, scheduled faults, and the checks afterwards. */
export class Run {
  private readonly violations: Violation[] = [];
  private readonly probeLogs: PersonLog[] = [];
  private readonly recovery: RecoveryFigures = { fresh: [], returns: [] };
  private readonly healedAt: number[] = [];
  private readonly injector: Injector;

  constructor(
    private readonly cluster: Cluster,
    private readonly options: Options,
    private readonly startedAt: number,
    private readonly say: (text: string) => void,
  ) {
    this.injector = new Injector(cluster, say);
  }

  async execute(): Promise<Report> {
    const { seed, people, actEveryMs } = this.options;
    this.say(`${people} people join and talk for ${WARM_UP_MS / 1_000} s`);
    const population = await Population.join({ origin: this.cluster.url, people, actEveryMs, seed });
    population.live();
    await sleep(WARM_UP_MS);
    await this.comeToRest(population);
    const before = await this.atRest();
    population.live();
    await this.causeFaults(population);
    await sleep(CALM_MS);
    await this.comeToRest(population);
    for (const what of await population.unseenImages()) this.violations.push({ rule: 'images', what });
    const after = await this.restLike(before);
    const waiting = await this.drain();
    const stored = await this.cluster.withPostgres((client) => readTruth(this.cluster.redis, client));
    // A scheduler may add a job at any moment; what counts is that there was a moment without any.
    const truth = { ...stored, ...waiting };
    const logs = [...population.logs, ...this.probeLogs];
    const verdict = check({ logs, truth, lossWindows: this.lossWindows() });
    this.recovery.returns = population.people.flatMap(({ connection }) =>
      returnsAfter(this.healedAt, connection.attempts, (from, to) => this.injector.isFaulty(from, to)),
    );
    verdict.violations.push(
      ...this.violations,
      ...growth(before, after),
      ...slowness(this.recovery, estimateSlowdown()),
    );
    return {
      seed,
      startedAt: this.startedAt,
      tookMs: Date.now() - this.startedAt,
      people,
      faults: this.injector.caused,
      skippedFaults: this.skippedFaults(),
      verdict,
      recovery: this.recovery,
      refusals: total(population.people.map(({ refusals }) => refusals)),
      acknowledged: total(population.people.map(({ acknowledged }) => acknowledged)),
      gaveUp: population.people.reduce((sum, { connection }) => sum + connection.gaveUp, 0),
      before,
      after,
    };
  }

  private async causeFaults(population: Population): Promise<void> {
    const { seed, durationMs, faults, only, isLong } = this.options;
    const without = (fault: Fault) => this.whyNot(fault) !== undefined;
    const rounds = schedule({ seed, topology, durationMs, faults, without, only });
    for (const [index, round] of rounds.entries()) {
      await this.injector.run(round, index + 1);
      await this.healed(population, index + 1);
    }
    if (!isLong) return;
    this.say('a fault so long that people reach the Reconnect button');
    await this.injector.cause({ kind: 'cut', target: 'people->nginx' }, LONG_CUT_MS, rounds.length + 1);
    await this.healed(population, rounds.length + 1);
  }

  /** Probes the service with fresh clients. Users who gave up press Reconnect. */
  private async healed(population: Population, round: number): Promise<void> {
    const at = Date.now();
    this.healedAt.push(at);
    population.pressReconnect();
    const { tookMs, logs } = await probe(this.cluster.url, round);
    this.recovery.fresh.push(tookMs);
    this.probeLogs.push(...logs);
    this.say(`healed; a fresh client talks after ${tookMs === undefined ? 'NEVER' : `${tookMs} ms`}`);
  }

  /** All users finish, prove that they are not stuck, and leave. Then waits until PostgreSQL has everything. */
  private async comeToRest(population: Population): Promise<void> {
    population.pressReconnect();
    const unsettled = await population.settle();
    const stuck = await population.proveFree();
    for (const what of [...unsettled, ...stuck]) this.violations.push({ rule: 'two chats or stuck', what });
    population.leave();
    await this.drain();
  }

  /** Waits until no work is left. @returns what is left after a timeout. */
  private async drain(): Promise<Backlog> {
    const deadline = Date.now() + DRAINED_WITHIN_MS;
    for (;;) {
      const waiting = await backlog(this.cluster.redis);
      if (Object.values(waiting).every((count) => count === 0) || Date.now() > deadline) return waiting;
      await sleep(100);
    }
  }

  private async atRest(): Promise<AtRest> {
    const { redis } = this.cluster;
    const processes: Record<string, Inspection> = {};
    for (const replica of this.cluster.processes) {
      const inspection = await this.cluster.inspect(replica);
      if (inspection) processes[replica.name] = inspection;
    }
    return {
      processes,
      redisClients: Number(/^connected_clients:(\d+)/m.exec(await redis.info('clients'))?.[1]),
      redisChannels: ((await redis.pubsub('CHANNELS')) as string[]).length,
      postgresConnections: await this.cluster.withPostgres(async (client) => {
        const { rows } = await client.query<{ count: string }>(
          "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'",
        );
        return Number(rows[0]?.count);
      }),
      lastingKeys: await lastingKeys(redis),
    };
  }

  /** Inspects until nothing has grown, or until a timeout. */
  private async restLike(before: AtRest): Promise<AtRest> {
    const deadline = Date.now() + AT_REST_WITHIN_MS;
    let now = await this.atRest();
    while (growth(before, now).length > 0 && Date.now() < deadline) {
      await sleep(1_000);
      now = atBoth(await this.atRest(), now);
    }
    return now;
  }

  private lossWindows(): LossWindow[] {
    return this.injector.caused
      .filter(({ fault }) => isLossy(fault))
      .map(({ fault, label, beganAt, healedAt = Infinity }) => ({
        label,
        // A flush removes whatever PostgreSQL had not received yet; no fault delays that for longer than this. A
        // truncated file loses its last second.
        from: beganAt - (fault.kind === 'flushed' ? NOT_RECEIVED_MS : 200),
        at: beganAt,
        to: fault.kind === 'flushed' ? beganAt + 500 : healedAt,
      }));
  }

  private whyNot(fault: Fault): string | undefined {
    if (fault.kind === 'disk-full') return this.cluster.disk.whyNot;
    if (fault.kind === 'clock') return this.cluster.clock.whyNot;
    return undefined;
  }

  private skippedFaults(): string[] {
    return allFaults(topology)
      .flat()
      .flatMap((fault) => {
        const why = this.whyNot(fault);
        return why === undefined ? [] : [`${labelOf(fault)}: ${why}`];
      });
  }
}

const total = (each: readonly Record<string, number>[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const counts of each)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
};
