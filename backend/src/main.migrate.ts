import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from './config/environment';
import { migrate } from './platform/database/migrator';
import { ProjectionRebuilder } from './platform/event-store/projection-rebuilder';
import { ReadModelsModule } from './read-models.module';

const environment = () => loadEnvironment(process.env);

const migrateSchema = async (): Promise<string> => {
  const names = await migrate(environment());
  return names.length === 0
    ? 'The schema is up to date.'
    : `The schema is up to date; ran ${names.join(', ')}.`;
};

const rebuildReadModels = async (): Promise<string> => {
  const app = await NestFactory.createApplicationContext(ReadModelsModule.forRoot(environment()), {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  try {
    const count = await app.get(ProjectionRebuilder).rebuild();
    return `The read models are rebuilt from ${count} events.`;
  } finally {
    await app.close();
  }
};

const work = process.argv.includes('--rebuild') ? rebuildReadModels() : migrateSchema();
work.then(
  (done) => console.log(done),
  (error: unknown) => {
    console.error(`Migration failed: ${error instanceof Error ? error.message : 'unknown error'}`);
    process.exitCode = 1;
  },
);
