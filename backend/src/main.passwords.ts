import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from './config/environment.config';
import {
  type CommandResult,
  runPasswordCommand,
} from './modules/auth/application/password-command.functions';
import { PasswordResetService } from './modules/auth/application/password-reset.service';
import { PasswordsModule } from './passwords.module';

const run = async (): Promise<CommandResult> => {
  const app = await NestFactory.createApplicationContext(
    PasswordsModule.forRoot(loadEnvironment(process.env)),
    { logger: ['error', 'fatal'], abortOnError: false },
  );
  try {
    return await runPasswordCommand(app.get(PasswordResetService), process.argv.slice(2));
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
    console.error(
      `The password was not changed: ${error instanceof Error ? error.message : 'unknown error'}`,
    );
    process.exitCode = 1;
  },
);
