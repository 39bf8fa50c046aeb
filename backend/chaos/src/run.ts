import { setTimeout as sleep } from 'node:timers/promises';
import { type IdleState, computeMinimum, findGrowth } from './check/idle-state';
import { checkEvidence, type LossWindow, type Verdict, type Violation } from './check/evidence-checker';
import type { UserLog } from './check/user-log';
import { type RecoveryFigures, measureReconnects, findRecoveryViolations } from './check/recovery';
import { type Backlog, readBacklog, countKeysWithoutExpiry, readStoredState } from './check/stored-state';
import { type Cluster, topology } from './cluster/cluster';
import { estimateCpuSlowdown } from '#testing/processor-load.probe';
import { type CausedFault, Injector } from './faults/injector';
import type { Inspection } from './inspect-process';
import type { Options } from './options';
import { Population } from './users/population';
import { probeWithFreshClients } from './users/fresh-client-probe';
import type { Report } from './report';
import { listFaultClasses, type Fault, isLossy, formatLabel, createSchedule } from './schedule';

const WARM_UP_MS = 8_000;
/** Redis may acknowledge a command this long before it writes the command to the append-only file. */
const ACK_BEFORE_WRITE_MS = 200;
/** FLUSHALL takes at most this long, counted from the beginning of the fault. */
const FLUSH_MS = 500;
/** Longest time until an event reaches PostgreSQL, even during faults. */
const MAX_PERSIST_DELAY_MS = 30_000;
/** Time without faults before the users are stopped. */
const CALM_MS = 3_000;
const DRAIN_TIMEOUT_MS = 60_000;
const DRAIN_POLL_MS = 100;
/** Time in which idle timers and connections of pools end. Growth after this time is a leak. */
const IDLE_TIMEOUT_MS = 40_000;
const IDLE_POLL_MS = 1_000;
/** Longer than all reconnect attempts of a page, which begin after 1, 2, 4, 8 and 16 seconds. */
const LONG_CUT_MS = 40_000;

/** One run: warm-up, scheduled faults, and the checks afterwards. */
export class Run {
  /** Violations that the run itself has found, besides those that `checkEvidence` finds. */
  private readonly violations: Violation[] = [];
  /** The logs of the fresh clients, which probe the service after each recovery. */
  private readonly probeLogs: UserLog[] = [];
  private readonly recovery: RecoveryFigures = { fresh: [], reconnects: [] };
  /** When all faults of each round were over, as `Date.now()`. */
  private readonly recoveryTimes: number[] = [];
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
    const population = await Population.create({ origin: this.cluster.url, userCount, actEveryMs, seed });
    const idleBefore = await this.warmUp(population);
    population.startActing();
    await this.causeFaults(population);
    await sleep(CALM_MS);
    await this.stopUsers(population);
    for (const description of await population.findUnavailableImages())
      this.violations.push({ rule: 'images', description });
    const idleAfter = await this.inspectUntilNotGrown(idleBefore);
    const verdict = await this.checkStoredState(population);
    const hadFaultBetween = (from: number, to: number) => this.injector.hadFaultBetween(from, to);
    // For each user, how long the first attempt to reconnect after each round of faults took.
    this.recovery.reconnects = population.users.flatMap(({ connection }) =>
      measureReconnects(this.recoveryTimes, connection.attempts, hadFaultBetween),
    );
    verdict.violations.push(
      ...this.violations,
      ...findGrowth(idleBefore, idleAfter),
      ...findRecoveryViolations(this.recovery, estimateCpuSlowdown()),
    );
    return {
      seed,
      startedAt: this.startedAt,
      tookMs: Date.now() - this.startedAt,
      userCount,
      faults: this.injector.causedFaults,
      skippedFaults: this.listSkippedFaults(),
      verdict,
      recovery: this.recovery,
      refusals: sumCounts(population.users.map(({ failures }) => failures)),
      acknowledged: sumCounts(population.users.map(({ acknowledged }) => acknowledged)),
      gaveUpCount: population.users.reduce((sum, { connection }) => sum + connection.gaveUpCount, 0),
      before: idleBefore,
      after: idleAfter,
    };
  }

  /** Lets the users chat without faults. @returns the idle state afterwards, with which a later one is compared */
  private async warmUp(population: Population): Promise<IdleState> {
    population.startActing();
    await sleep(WARM_UP_MS);
    await this.stopUsers(population);
    const idleState = await this.inspectIdleState();
    this.requireAllInspections(idleState);
    return idleState;
  }

  private async causeFaults(population: Population): Promise<void> {
    const { seed, durationMs, faultCount, labelFilters, endsWithLongFault } = this.options;
    const isExcluded = (fault: Fault) => this.findUnavailableReason(fault) !== undefined;
    const rounds = createSchedule({ seed, topology, durationMs, faultCount, isExcluded, labelFilters });
    for (const [index, round] of rounds.entries()) {
      await this.injector.runRound(round, index + 1);
      await this.verifyRecovery(population, index + 1);
    }
    if (!endsWithLongFault) return;
    this.log('a fault long enough for users to reach the Reconnect button');
    await this.injector.causeFault({ kind: 'cut', target: 'clients->nginx' }, LONG_CUT_MS, rounds.length + 1);
    await this.verifyRecovery(population, rounds.length + 1);
  }

  /**
   * Checks that the service works again after a round of faults: two fresh clients join and exchange messages. Users
   * whose pages have given up press Reconnect.
   */
  private async verifyRecovery(population: Population, round: number): Promise<void> {
    this.recoveryTimes.push(Date.now());
    population.pressReconnect();
    const { tookMs, logs } = await probeWithFreshClients(this.cluster.url, round);
    this.recovery.fresh.push(tookMs);
    this.probeLogs.push(...logs);
    this.log(
      `recovered; fresh clients exchange messages after ${tookMs === undefined ? 'NEVER' : `${tookMs} ms`}`,
    );
  }

  /**
   * Lets all users finish their actions, checks that none of them is stuck, and disconnects them until the next
   * `startActing`. Then waits until the worker has no work left.
   */
  private async stopUsers(population: Population): Promise<void> {
    population.pressReconnect();
    const unsettled = await population.finishActions();
    const stuck = await population.findStuckUsers();
    for (const description of [...unsettled, ...stuck])
      this.violations.push({ rule: 'two chats or stuck', description });
    population.disconnectAll();
    await this.waitForEmptyBacklog();
  }

  /** Waits until no work is left, or until a timeout. @returns the last backlog */
  private async waitForEmptyBacklog(): Promise<Backlog> {
    const deadline = Date.now() + DRAIN_TIMEOUT_MS;
    for (;;) {
      const backlog = await readBacklog(this.cluster.redis);
      if (Object.values(backlog).every((count) => count === 0) || Date.now() > deadline) return backlog;
      await sleep(DRAIN_POLL_MS);
    }
  }

  private async checkStoredState(population: Population): Promise<Verdict> {
    const backlog = await this.waitForEmptyBacklog();
    const stored = await this.cluster.withPostgres((client) => readStoredState(this.cluster.redis, client));
    // `stored` contains a later backlog, to which a scheduler may have added a job since the wait.
    const storedState = { ...stored, ...backlog };
    const logs = [...population.logs, ...this.probeLogs];
    const lossWindows = this.injector.causedFaults.filter(({ fault }) => isLossy(fault)).map(toLossWindow);
    return checkEvidence({ logs, storedState, lossWindows });
  }

  private async inspectIdleState(): Promise<IdleState> {
    const { redis } = this.cluster;
    const processes: Record<string, Inspection> = {};
    for (const inspected of this.cluster.processes) {
      const inspection = await this.cluster.inspect(inspected);
      if (inspection) processes[inspected.name] = inspection;
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

  /**
   * Requires that every process could be inspected. The environment of the run makes a process inspectable and connects
   * it through the links that faults disturb. A process that was started without it would also escape the faults.
   * @throws Error with the names of the processes that could not be inspected
   */
  private requireAllInspections({ processes }: IdleState): void {
    const missing = this.cluster.processes.map(({ name }) => name).filter((name) => !processes[name]);
    if (missing.length > 0)
      throw new Error(`Could not be inspected before the first fault: ${missing.join(', ')}`);
  }

  /** Inspects until nothing has grown, or until a timeout. */
  private async inspectUntilNotGrown(before: IdleState): Promise<IdleState> {
    const deadline = Date.now() + IDLE_TIMEOUT_MS;
    // The lowest value of each figure. A leak never shrinks, so a figure that was low once does not leak.
    let lowest = await this.inspectIdleState();
    while (findGrowth(before, lowest).length > 0 && Date.now() < deadline) {
      await sleep(IDLE_POLL_MS);
      lowest = computeMinimum(await this.inspectIdleState(), lowest);
    }
    return lowest;
  }

  /** @returns why this machine cannot cause the fault; undefined when it can */
  private findUnavailableReason(fault: Fault): string | undefined {
    if (fault.kind === 'disk-full') return this.cluster.disk.unavailableReason;
    if (fault.kind === 'clock') return this.cluster.clock.unavailableReason;
    return undefined;
  }

  private listSkippedFaults(): string[] {
    return listFaultClasses(topology)
      .flat()
      .flatMap((fault) => {
        const reason = this.findUnavailableReason(fault);
        return reason === undefined ? [] : [`${formatLabel(fault)}: ${reason}`];
      });
  }
}

const toLossWindow = ({ fault, label, beganAt, recoveredAt = Infinity }: CausedFault): LossWindow => {
  // A flush removes every event that PostgreSQL had not received yet.
  if (fault.kind === 'flushed')
    return { label, from: beganAt - MAX_PERSIST_DELAY_MS, faultBeganAt: beganAt, to: beganAt + FLUSH_MS };
  // The other lossy fault is `truncated`: the append-only file then lacks the commands that Redis wrote to it during
  // the fault.
  return { label, from: beganAt - ACK_BEFORE_WRITE_MS, faultBeganAt: beganAt, to: recoveredAt };
};

const sumCounts = (countsOfUsers: readonly Record<string, number>[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const counts of countsOfUsers)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
};
