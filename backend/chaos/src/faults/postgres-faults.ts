import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Cluster } from '../cluster/cluster';
import type { postgresKinds } from '../schedule';
import type { FaultEffect } from './fault-effect';
import { waitUntilStoreAnswers } from './process-faults';

/** Faults in which PostgreSQL lacks a resource or refuses writes. */
export const createPostgresFault = (cluster: Cluster, kind: (typeof postgresKinds)[number]): FaultEffect => {
  switch (kind) {
    case 'read-only':
      return {
        begin: () => setReadOnly(cluster, 'on'),
        end: () => setReadOnly(cluster, 'off'),
      };
    case 'no-connections':
      return new ConnectionShortage(cluster);
    case 'disk-full':
      return {
        begin: async () => cluster.disk.fill(),
        async end() {
          cluster.disk.free();
          // PostgreSQL may have stopped for lack of space for its write-ahead log, and then recovers now.
          await waitUntilStoreAnswers(cluster, 'postgres');
        },
      };
  }
};

const setReadOnly = async (cluster: Cluster, value: 'on' | 'off'): Promise<void> => {
  await waitUntilStoreAnswers(cluster, 'postgres');
  await cluster.withPostgres(async (client) => {
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await client.query('SELECT pg_reload_conf()');
  });
};

const ROUND_PAUSE_MS = 20;

/**
 * Leaves no connection for the service. Works in rounds: takes all free connections, then terminates those of the
 * service, which are free for the next round.
 */
class ConnectionShortage implements FaultEffect {
  private readonly clients: Client[] = [];
  private isOver = false;
  private rounds: Promise<void> | undefined;

  constructor(private readonly cluster: Cluster) {}

  async begin(): Promise<void> {
    await this.takeConnection();
    this.rounds = this.repeatRounds();
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.rounds;
    await Promise.all(this.clients.map((client) => client.end().catch(() => undefined)));
    await waitUntilStoreAnswers(this.cluster, 'postgres');
  }

  private async repeatRounds(): Promise<void> {
    while (!this.isOver) {
      await this.takeFreeConnections();
      await this.terminateServiceConnections();
      await sleep(ROUND_PAUSE_MS);
    }
  }

  private async takeFreeConnections(): Promise<void> {
    let wasAccepted = true;
    while (wasAccepted && !this.isOver) wasAccepted = await this.takeConnection();
  }

  /** @returns whether PostgreSQL accepted one more connection */
  private async takeConnection(): Promise<boolean> {
    const client = new Client({ connectionString: this.cluster.databaseUrl, application_name: 'chaos' });
    client.on('error', () => undefined); // the server may close the connection
    try {
      await client.connect();
      this.clients.push(client);
      return true;
    } catch {
      return false;
    }
  }

  private async terminateServiceConnections(): Promise<void> {
    // There is no first client while PostgreSQL has refused every connection.
    await this.clients[0]
      ?.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND application_name <> 'chaos'`,
      )
      .catch(() => undefined);
  }
}
