import { setTimeout as sleep } from 'node:timers/promises';
import { type IdleState, computeMinimum, findGrowth } from './check/idle-state';
import { checkEvidence, type LossWindow, type Violation } from './check/evidence-checker';
import type { UserLog } from './check/user-log';
import { type RecoveryFigures, measureReconnects, findSlowRecoveries } from './check/recovery';
import { type Backlog, readBacklog, countKeysWithoutExpiry, readStoredState } from './check/stored-state';
import { type Cluster, topology } from './cluster/cluster';
import { estimateSlowdown } from '#testing/processor-load.probe';
import { Injector } from './faults/injector';
import type { Inspection } from './inspect-process';
import type { Options } from './options';
import { Population } from './users/population';
import { probeWithFreshClients } from './users/fresh-client-probe';
import type { Report } from './report';
import { listAllFaults, type Fault, isLossy, formatLabel, createSchedule } from './schedule';

const WARM_UP_MS = 8_000;
/** Redis may acknowledge a command this long before it writes it to the append-only file. */
const ACK_BEFORE_WRITE_MS = 200;
/** FLUSHALL is done within this time after its fault began. */
const FLUSHED_WITHIN_MS = 500;
/** An event reaches PostgreSQL at the latest after this time, during faults too. */
const MAX_PERSIST_DELAY_MS = 30_000;
/** Time without faults before the users are stopped. */
const CALM_MS = 3_000;
const DRAINED_WITHIN_MS = 60_000;
/** Time for idle timers and pools to end, after which growth is a leak. */
const IDLE_WITHIN_MS = 40_000;
/** Longer than all reconnect attempts of a page take. */
const LONG_CUT_MS = 40_000;

/** One run: warm-up, scheduled faults, and the checks afterwards. */
export class Run {
  /** Violations that the run itself found, besides those of the checker. */
  private readonly violations: Violation[] = [];
  private readonly probeLogs: UserLog[] = [];
  private readonly recovery: RecoveryFigures = { fresh: [], reconnects: [] };
  private readonly recoveredAt: number[] = [];
  private readonly injector: Injector;

  constructor(
    private readonly cluster: Cluster,
    private readonly options: Options,
    private readonly startedAt: number,
    private readonly log: (text: string) => void,
  ) {
    this.injector = new Injector(cluster, log);
  }

  async execute(): Promise<Report> {
    const { seed, userCount, actEveryMs } = this.options;
    this.log(`${userCount} users join and chat for ${WARM_UP_MS / 1_000} s`);
    const population = await Population.join({ origin: this.cluster.url, userCount, actEveryMs, seed });
    population.startActing();
    await sleep(WARM_UP_MS);
    await this.stopUsers(population);
    const before = await this.inspectIdleState();
    this.requireEachProcess(before);
    population.startActing();
    await this.causeFaults(population);
    await sleep(CALM_MS);
    await this.stopUsers(population);
    for (const what of await population.findUnavailableImages())
      this.violations.push({ rule: 'images', what });
    const after = await this.inspectUntilNotGrown(before);
    const backlog = await this.waitForEmptyBacklog();
    const stored = await this.cluster.withPostgres((client) => readStoredState(this.cluster.redis, client));
    // A scheduler may add a job at any moment; what counts is that there was a moment without any.
    const storedState = { ...stored, ...backlog };
    const logs = [...population.logs, ...this.probeLogs];
    const verdict = checkEvidence({ logs, storedState, lossWindows: this.listLossWindows() });
    this.recovery.reconnects = population.users.flatMap(({ connection }) =>
      measureReconnects(this.recoveredAt, connection.attempts, (from, to) =>
        this.injector.isFaulty(from, to),
      ),
    );
    verdict.violations.push(
      ...this.violations,
      ...findGrowth(before, after),
      ...findSlowRecoveries(this.recovery, estimateSlowdown()),
    );
    return {
      seed,
      startedAt: this.startedAt,
      tookMs: Date.now() - this.startedAt,
      userCount,
      faults: this.injector.caused,
      skippedFaults: this.listSkippedFaults(),
      verdict,
      recovery: this.recovery,
      refusals: sumCounts(population.users.map(({ refusals }) => refusals)),
      acknowledged: sumCounts(population.users.map(({ acknowledged }) => acknowledged)),
      gaveUpCount: population.users.reduce((sum, { connection }) => sum + connection.gaveUpCount, 0),
      before,
      after,
    };
  }

  private async causeFaults(population: Population): Promise<void> {
    const { seed, durationMs, faults, only, isLong } = this.options;
    const isExcluded = (fault: Fault) => this.findUnavailableReason(fault) !== undefined;
    const rounds = createSchedule({ seed, topology, durationMs, faults, isExcluded, only });
    for (const [index, round] of rounds.entries()) {
      await this.injector.run(round, index + 1);
      await this.verifyRecovery(population, index + 1);
    }
    if (!isLong) return;
    this.log('a fault long enough for users to reach the Reconnect button');
    await this.injector.causeFault({ kind: 'cut', target: 'clients->nginx' }, LONG_CUT_MS, rounds.length + 1);
    await this.verifyRecovery(population, rounds.length + 1);
  }

  /** Probes the service with fresh clients. Users who gave up press Reconnect. */
  private async verifyRecovery(population: Population, round: number): Promise<void> {
    const recoveredAt = Date.now();
    this.recoveredAt.push(recoveredAt);
    population.pressReconnect();
    const { tookMs, logs } = await probeWithFreshClients(this.cluster.url, round);
    this.recovery.fresh.push(tookMs);
    this.probeLogs.push(...logs);
    this.log(
      `healed; fresh clients exchange messages after ${tookMs === undefined ? 'NEVER' : `${tookMs} ms`}`,
    );
  }

  /** All users finish, prove that they are not stuck, and leave. Then waits until PostgreSQL has everything. */
  private async stopUsers(population: Population): Promise<void> {
    population.pressReconnect();
    const unsettled = await population.finishActions();
    const stuck = await population.findStuckUsers();
    for (const what of [...unsettled, ...stuck]) this.violations.push({ rule: 'two chats or stuck', what });
    population.disconnectAll();
    await this.waitForEmptyBacklog();
  }

  /** Waits until no work is left. @returns what is left after a timeout. */
  private async waitForEmptyBacklog(): Promise<Backlog> {
    const deadline = Date.now() + DRAINED_WITHIN_MS;
    for (;;) {
      const backlog = await readBacklog(this.cluster.redis);
      if (Object.values(backlog).every((count) => count === 0) || Date.now() > deadline) return backlog;
      await sleep(100);
    }
  }

  private async inspectIdleState(): Promise<IdleState> {
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
      keysWithoutExpiry: await countKeysWithoutExpiry(redis),
    };
  }

  /** A process that cannot be inspected has not got the settings of the run, so that no fault would reach it either. */
  private requireEachProcess({ processes }: IdleState): void {
    const missing = this.cluster.processes.map(({ name }) => name).filter((name) => !processes[name]);
    if (missing.length > 0)
      throw new Error(`Could not be inspected before the first fault: ${missing.join(', ')}`);
  }

  /** Inspects until nothing has grown, or until a timeout. */
  private async inspectUntilNotGrown(before: IdleState): Promise<IdleState> {
    const deadline = Date.now() + IDLE_WITHIN_MS;
    let now = await this.inspectIdleState();
    while (findGrowth(before, now).length > 0 && Date.now() < deadline) {
      await sleep(1_000);
      now = computeMinimum(await this.inspectIdleState(), now);
    }
    return now;
  }

  private listLossWindows(): LossWindow[] {
    return this.injector.caused
      .filter(({ fault }) => isLossy(fault))
      .map(({ fault, label, beganAt, healedAt = Infinity }) => ({
        label,
        // A flush removes what PostgreSQL had not received yet. A truncated file loses the second after the fault
        // began.
        from: beganAt - (fault.kind === 'flushed' ? MAX_PERSIST_DELAY_MS : ACK_BEFORE_WRITE_MS),
        at: beganAt,
        to: fault.kind === 'flushed' ? beganAt + FLUSHED_WITHIN_MS : healedAt,
      }));
  }

  private findUnavailableReason(fault: Fault): string | undefined {
    if (fault.kind === 'disk-full') return this.cluster.disk.unavailableReason;
    if (fault.kind === 'clock') return this.cluster.clock.unavailableReason;
    return undefined;
  }

  private listSkippedFaults(): string[] {
    return listAllFaults(topology)
      .flat()
      .flatMap((fault) => {
        const reason = this.findUnavailableReason(fault);
        return reason === undefined ? [] : [`${formatLabel(fault)}: ${reason}`];
      });
  }
}

const sumCounts = (countsOfUsers: readonly Record<string, number>[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const counts of countsOfUsers)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
};
