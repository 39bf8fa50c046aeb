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
        begin: () => setReadOnly(cluster, true),
        end: () => setReadOnly(cluster, false),
      };
    case 'no-connections':
      return takeAllConnections(cluster);
    case 'disk-full':
      return {
        begin: async () => cluster.disk.fill(),
        async end() {
          cluster.disk.free();
          // PostgreSQL may have stopped, because it had no space for its write-ahead log. It then recovers now.
          await waitUntilStoreAnswers(cluster, 'postgres');
        },
      };
  }
};

const setReadOnly = async (cluster: Cluster, isReadOnly: boolean): Promise<void> => {
  await waitUntilStoreAnswers(cluster, 'postgres');
  await cluster.withPostgres(async (client) => {
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
    await client.query('SELECT pg_reload_conf()');
  });
};

const ROUND_PAUSE_MS = 20;

const takeAllConnections = (cluster: Cluster): FaultEffect => {
  const clients: Client[] = [];
  let isOver = false;
  let takingLoop: Promise<void> | undefined;
  /** @returns whether PostgreSQL accepted one more connection */
  const takeConnection = async (): Promise<boolean> => {
    const client = new Client({ connectionString: cluster.databaseUrl, application_name: 'chaos' });
    client.on('error', () => undefined); // the server may close the connection
    try {
      await client.connect();
      clients.push(client);
      return true;
    } catch {
      return false;
    }
  };
  return {
    async begin() {
      // In each round, clients take all free connections, and the first client terminates those of the service.
      await takeConnection();
      takingLoop = (async () => {
        while (!isOver) {
          while (!isOver && (await takeConnection())) {
            // Repeats until PostgreSQL refuses a connection.
          }
          await clients[0]
            ?.query(
              `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE backend_type = 'client backend' AND application_name <> 'chaos'`,
            )
            .catch(() => undefined);
          await sleep(ROUND_PAUSE_MS);
        }
      })();
    },
    async end() {
      isOver = true;
      await takingLoop;
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      await waitUntilStoreAnswers(cluster, 'postgres');
    },
  };
};
