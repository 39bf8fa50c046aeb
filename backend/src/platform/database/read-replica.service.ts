import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Environment } from '../../config/environment.config';
import { findSqlState } from '../errors/store-failure.errors';
import type { MetricsRegistry } from '../observability/metrics.registry';
import { logWarning } from '../observability/warn-about.functions';
import { createDataSourceOptions } from './data-source.config';
import { type LogSequenceNumber, parseLsn, ReplicaLagModel } from './replica-lag.model';

/** Maximum lag of the replica. While the lag is greater, reads are made from the primary. */
export const MAX_REPLICA_LAG_MS = 5_000;
const CHECK_EVERY_MS = 1_000;
/** Time-out for connecting to the replica, and for each read. A read that times out is made from the primary. */
const REPLICA_TIMEOUT_MS = 1_000;

export type ReadConnection = Pick<EntityManager, 'query'>;

/** Why the replica is not used. The log line is "The read replica", followed by this text. */
type Obstacle = 'does not answer' | 'is too far behind' | 'is not a replica';

/**
 * Makes reads that may be some seconds out of date from a read replica of PostgreSQL, if there is one
 * (docs/decisions/0076). While the replica does not answer or is more than 5 s behind, the primary makes these reads.
 */
@Injectable()
export class ReadReplicaService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(ReadReplicaService.name);
  private readonly replica: DataSource | undefined;
  private readonly lag = new ReplicaLagModel();
  private isStopping = false;
  private readonly readCounts = { replica: 0, primary: 0 };
  /** Null while the replica is used. Before the first check, it has not answered yet. */
  private obstacle: Obstacle | null = 'does not answer';
  private timer: NodeJS.Timeout | undefined;
  private latestCheck: Promise<void> = Promise.resolve();

  /**
   * @param url address of the replica; undefined if there is none.
   * @param metrics undefined in a process that exposes none, such as a command of operators.
   */
  constructor(
    private readonly primary: DataSource,
    environment: Environment,
    url: string | undefined,
    metrics?: MetricsRegistry,
  ) {
    if (url === undefined) return;
    const options = createDataSourceOptions({ ...environment, DATABASE_URL: url });
    const timeouts = { connectionTimeoutMillis: REPLICA_TIMEOUT_MS, query_timeout: REPLICA_TIMEOUT_MS };
    this.replica = new DataSource({
      ...options,
      extra: { ...(options.extra as object), ...timeouts },
      // Ignores errors of idle connections: the next check reports the replica's state.
      poolErrorHandler: () => undefined,
    });
    this.addMetrics(metrics);
  }

  /** Whether this process has a replica to read from. */
  get isConfigured(): boolean {
    return this.replica !== undefined;
  }

  async onModuleInit(): Promise<void> {
    if (this.replica) await this.checkRepeatedly(this.replica);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await this.latestCheck;
    if (this.replica?.isInitialized) await this.replica.destroy();
  }

  /**
   * Makes a read whose result may be up to 5 s out of date.
   * @param work reads from the connection that it gets: the replica's, and if this fails, the primary's.
   * @param minimum a position from `readPrimaryPosition`; the result includes everything committed up to it.
   * @throws whatever `work` throws on the primary.
   */
  async read<Result>(
    work: (connection: ReadConnection) => Promise<Result>,
    minimum?: LogSequenceNumber,
  ): Promise<Result> {
    if (this.replica && this.canServe(minimum)) {
      try {
        const result = await work(this.replica.manager);
        this.readCounts.replica += 1;
        return result;
      } catch (error) {
        if (isConnectionFailure(error)) this.stopUsingReplica('does not answer');
        else logWarning(this.logger, 'A read from the read replica failed', error);
      }
    }
    this.readCounts.primary += 1;
    return work(this.primary.manager);
  }

  private canServe(minimum?: LogSequenceNumber): boolean {
    const isRecent = this.lag.computeLagMs(performance.now()) <= MAX_REPLICA_LAG_MS;
    return isRecent && (minimum === undefined || this.lag.hasReached(minimum));
  }

  /** Starts the checks. Resolves after the first one. */
  private async checkRepeatedly(replica: DataSource): Promise<void> {
    this.latestCheck = this.check(replica);
    await this.latestCheck;
    if (this.isStopping) return;
    this.timer = setTimeout(() => void this.checkRepeatedly(replica), CHECK_EVERY_MS).unref();
  }

  /** Compares the positions of both servers and decides whether the replica is used. Never rejects. */
  private async check(replica: DataSource): Promise<void> {
    const now = performance.now();
    try {
      this.lag.recordPrimary(now, await readPrimaryPosition(this.primary.manager));
    } catch {
      // While the primary does not answer, the computed lag grows with time. The replica is used until the lag exceeds
      // the maximum.
    }
    try {
      const position = await readReplicaPosition(replica);
      if (position === null) {
        this.stopUsingReplica('is not a replica');
        return;
      }
      this.lag.recordReplica(position);
      this.setObstacle(this.canServe() ? null : 'is too far behind');
    } catch {
      this.stopUsingReplica('does not answer');
    }
  }

  /** Sends all reads to the primary until a check succeeds. */
  private stopUsingReplica(obstacle: Obstacle): void {
    this.lag.reset(); // without a known position, the replica cannot serve a read
    this.setObstacle(obstacle);
  }

  /** Logs the obstacle if it has changed. */
  private setObstacle(obstacle: Obstacle | null): void {
    if (this.obstacle === obstacle) return;
    this.obstacle = obstacle;
    if (obstacle === null) this.logger.log('Reads are made from the read replica');
    else this.logger.warn(`The read replica ${obstacle}; reads are made from the primary`);
  }

  private addMetrics(metrics: MetricsRegistry | undefined): void {
    metrics?.addLiveLabelledGauge(
      'thaw_read_replica_lag_seconds',
      'How much reads from the read replica may be out of date; absent while it does not answer',
      () => {
        const lagMs = this.lag.computeLagMs(performance.now());
        return Promise.resolve(lagMs === Infinity ? [] : [[{}, lagMs / 1_000] as const]);
      },
    );
    metrics?.addLiveGauge(
      'thaw_read_replica_in_use',
      'Whether reads are made from the read replica (1), or from the primary because of its state (0)',
      () => Number(this.canServe()),
    );
    metrics?.addLiveLabelledCounter(
      'thaw_replica_reads_total',
      'Reads for the read replica, by the server that made them',
      () => Object.entries(this.readCounts).map(([server, count]) => [{ server }, count] as const),
    );
  }
}

/**
 * Reads the position of the primary. A replica that has reached it has everything that was committed before the call.
 * @param connection to the primary.
 */
export const readPrimaryPosition = async (connection: ReadConnection): Promise<LogSequenceNumber> => {
  const [row] = await connection.query<{ position: string }[]>(
    'SELECT pg_current_wal_flush_lsn()::text AS position',
  );
  if (!row) throw new Error('A query returned no row');
  return parseLsn(row.position);
};

/**
 * Connects if necessary.
 * @returns null if the server is not a replica, for instance because it was promoted to a primary.
 */
const readReplicaPosition = async (replica: DataSource): Promise<LogSequenceNumber | null> => {
  if (!replica.isInitialized) await replica.initialize();
  const [row] = await replica.query<{ position: string | null }[]>(
    'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS position',
  );
  return row?.position ? parseLsn(row.position) : null;
};

/**
 * SQLSTATE classes that concern the server or the connection, not the statement: connection exceptions, insufficient
 * resources, operator intervention, system errors, internal errors.
 */
const FAILURE_CLASSES = ['08', '53', '57', '58', 'XX'];

/** Whether the server cannot be reached or cannot serve any statement, rather than having refused this statement. */
const isConnectionFailure = (error: unknown): boolean => {
  const sqlState = findSqlState(error);
  // Errors without a SQLSTATE are those of sockets, such as ECONNREFUSED, and time-outs of the client.
  return sqlState === undefined || FAILURE_CLASSES.includes(sqlState.slice(0, 2));
};
