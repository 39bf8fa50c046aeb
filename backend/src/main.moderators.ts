import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from './config/environment.config';
import {
  type CommandResult,
  runModeratorsCommand,
} from './modules/users/application/moderators-command.functions';
import { ModeratorsService } from './modules/users/application/moderators.service';
import { ReadModelsModule } from './read-models.module';

const run = async (): Promise<CommandResult> => {
  const app = await NestFactory.createApplicationContext(
    ReadModelsModule.forRoot(loadEnvironment(process.env)),
    { logger: ['error', 'fatal'], abortOnError: false },
  );
  try {
    return await runModeratorsCommand(app.get(ModeratorsService), process.argv.slice(2));
  } finally {
    await app.close();
  }
};

run().then(
  ({ exitCode, text }) => {
    if (exitCode === 0) console.log(text);
    else console.error(text);
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    console.error(`Moderators were not changed: ${error instanceof Error ? error.message : 'unknown error'}`);
    process.exitCode = 1;
  },
);
