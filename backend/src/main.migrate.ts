import 'reflect-metadata';
import { loadEnvironment } from './config/environment.config';
import { DrainModule } from './drain.module';
import { RedisDrainService } from './modules/random-chat/jobs/redis-drain.service';
import { migrate } from './platform/database/schema-migration.functions';
import { ProjectionRebuildService } from './platform/event-store/projection-rebuild.service';
import { DeadLetterRepository } from './platform/hot-log/dead-letter.repository';
import { runOperatorCommand, withApplicationContext } from './platform/lifecycle/operator-command.functions';
import { connectRedis } from './platform/redis/redis-connection.factory';
import { prepareFileStorage } from './platform/storage/storage.module';
import { ReadModelsModule } from './read-models.module';
import { RestoredErasuresService } from './modules/my-data/application/restored-erasures.service';
import { RestoredErasuresCommandModule } from './restored-erasures.module';

/** A drain fails after this time without progress. A worker takes over the outboxes of a killed worker sooner. */
const DRAIN_STUCK_AFTER_MS = 30_000;

const readEnvironment = () => loadEnvironment(process.env);

/**
 * Migrates the database to the schema of this release, prepares the storage of images, and requests the erasures again
 * that a restored backup has undone.
 */
const migrateSchema = async (): Promise<string> => {
  const migrationNames = await migrate(readEnvironment());
  await prepareFileStorage(readEnvironment());
  const erasureCount = await requestErasuresAgain();
  const ranText = migrationNames.length === 0 ? '' : `; ran ${migrationNames.join(', ')}`;
  const erasedText =
    erasureCount === 0 ? '' : ` ${erasureCount} users of a restored backup are erased again.`;
  return `The schema is up to date${ranText}.${erasedText}`;
};

/**
 * Requests the erasure of users who were erased after a backup was made, and are present again because the backup was
 * restored. A worker then erases them.
 * @returns the number of these users.
 */
const requestErasuresAgain = (): Promise<number> =>
  withApplicationContext(RestoredErasuresCommandModule.forRoot(readEnvironment()), (app) =>
    app.get(RestoredErasuresService).requestAgain(),
  );

const rebuildReadModels = async (): Promise<string> => {
  const environment = readEnvironment();
  const { MIGRATE_DATABASE_URL, DATABASE_URL } = environment;
  // A rebuild replaces the tables, which only their owner may do.
  const ownerEnvironment = { ...environment, DATABASE_URL: MIGRATE_DATABASE_URL ?? DATABASE_URL };
  const eventCount = await withApplicationContext(ReadModelsModule.forRoot(ownerEnvironment), (app) =>
    app.get(ProjectionRebuildService).rebuild(),
  );
  return `The read models are rebuilt from ${eventCount} events.`;
};

/** Prints the dead letters without their content. */
const listDeadLetters = async (deadLetters: DeadLetterRepository): Promise<string> => {
  let count = 0;
  for await (const { sessionId, entryId, reason, movedAt } of deadLetters.list()) {
    console.log(`${new Date(movedAt).toISOString()} chat ${sessionId} entry ${entryId} ${reason || '-'}`);
    count += 1;
  }
  return `${count} dead letters.`;
};

/**
 * Lists the dead letters (events of random chats that PostgreSQL refuses), or moves them back to the outboxes, from
 * which workers copy them to PostgreSQL again.
 */
const handleDeadLetters = async (verb: string | undefined): Promise<string> => {
  if (verb !== 'list' && verb !== 'replay')
    throw new Error('say --dead-letters list or --dead-letters replay');
  // No user is waiting, so commands may wait for the connection, and longer for a reply than in a request.
  const redis = connectRedis(readEnvironment(), {
    enableOfflineQueue: true,
    commandTimeout: 5_000,
  });
  try {
    const deadLetters = new DeadLetterRepository(redis);
    if (verb === 'list') return await listDeadLetters(deadLetters);
    return `${await deadLetters.replay()} dead letters were put back.`;
  } finally {
    redis.disconnect();
  }
};

/** Empties Redis, which is required before a release that changes its layout: docs/rolling-releases.md. */
const drainRedis = async (): Promise<string> => {
  const keyCount = await withApplicationContext(DrainModule.forRoot(readEnvironment()), (app) =>
    app.get(RedisDrainService).drain({ stuckAfterMs: DRAIN_STUCK_AFTER_MS }),
  );
  return `Everything is in PostgreSQL, and Redis is empty: ${keyCount} keys were deleted.`;
};

/** Runs the subcommand that the arguments name. */
const runSubcommand = (args: readonly string[]): Promise<string> => {
  const deadLettersIndex = args.indexOf('--dead-letters');
  if (deadLettersIndex >= 0) return handleDeadLetters(args[deadLettersIndex + 1]);
  if (args.includes('--drain')) return drainRedis();
  if (args.includes('--rebuild')) return rebuildReadModels();
  return migrateSchema();
};

void runOperatorCommand(
  async () => ({ exitCode: 0, text: await runSubcommand(process.argv.slice(2)) }),
  'Migration failed',
);
