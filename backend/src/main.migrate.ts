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

/** Longer than a worker needs to take over the outboxes of a killed worker. */
const DRAIN_STUCK_AFTER_MS = 30_000;

const readMigrationEnvironment = () => loadEnvironment(process.env);

const migrateSchema = async (): Promise<string> => {
  const names = await migrate(readMigrationEnvironment());
  await prepareFileStorage(readMigrationEnvironment());
  const done =
    names.length === 0 ? 'The schema is up to date.' : `The schema is up to date; ran ${names.join(', ')}.`;
  const erasures = await eraseRestoredUsers();
  return erasures === 0 ? done : `${done} ${erasures} users of a restored backup are erased again.`;
};

/** A restored backup has users who were erased after it was made: the worker erases them again. */
const eraseRestoredUsers = (): Promise<number> =>
  withApplicationContext(RestoredErasuresCommandModule.forRoot(readMigrationEnvironment()), (app) =>
    app.get(RestoredErasuresService).requestAgain(),
  );

const rebuildReadModels = async (): Promise<string> => {
  const given = readMigrationEnvironment();
  // A rebuild replaces the tables, which only their owner may do.
  const owner = { ...given, DATABASE_URL: given.MIGRATE_DATABASE_URL ?? given.DATABASE_URL };
  const count = await withApplicationContext(ReadModelsModule.forRoot(owner), (app) =>
    app.get(ProjectionRebuildService).rebuild(),
  );
  return `The read models are rebuilt from ${count} events.`;
};

/** Lists the dead letters, without their content, or returns them to their outboxes. */
const handleDeadLetters = async (verb: string | undefined): Promise<string> => {
  if (verb !== 'list' && verb !== 'replay')
    throw new Error('say --dead-letters list or --dead-letters replay');
  const redis = connectRedis(readMigrationEnvironment(), {
    enableOfflineQueue: true,
    commandTimeout: 5_000,
  });
  try {
    const deadLetters = new DeadLetterRepository(redis);
    if (verb === 'replay') return `${await deadLetters.replay()} dead letters were put back.`;
    let count = 0;
    for await (const { sessionId, entryId, reason, movedAt } of deadLetters.list()) {
      console.log(`${new Date(movedAt).toISOString()} chat ${sessionId} entry ${entryId} ${reason || '-'}`);
      count += 1;
    }
    return `${count} dead letters.`;
  } finally {
    redis.disconnect();
  }
};

/** Required before a release that changes the layout of Redis: docs/rolling-releases.md. */
const drainRedis = async (): Promise<string> => {
  const count = await withApplicationContext(DrainModule.forRoot(readMigrationEnvironment()), (app) =>
    app.get(RedisDrainService).drain({ stuckAfterMs: DRAIN_STUCK_AFTER_MS }),
  );
  return `Everything is in PostgreSQL, and Redis is empty: ${count} keys were deleted.`;
};

const choose = (args: readonly string[]): Promise<string> => {
  const deadLetters = args.indexOf('--dead-letters');
  if (deadLetters >= 0) return handleDeadLetters(args[deadLetters + 1]);
  if (args.includes('--drain')) return drainRedis();
  return args.includes('--rebuild') ? rebuildReadModels() : migrateSchema();
};

void runOperatorCommand(
  async () => ({ exitCode: 0, text: await choose(process.argv.slice(2)) }),
  'Migration failed',
);
