import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** What an operator's command prints, and its exit code: 1 if it is refused or fails, 2 if its arguments are wrong. */
export interface CommandResult {
  exitCode: 0 | 1 | 2;
  text: string;
}

/** Runs work in an application without a server, and closes the application's connections afterwards. */
export const withApplicationContext = async <Result>(
  module: DynamicModule,
  work: (app: INestApplicationContext) => Promise<Result>,
): Promise<Result> => {
  const app = await NestFactory.createApplicationContext(module, {
    logger: ['error', 'fatal'],
    abortOnError: false,
  });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
};

/**
 * Runs an operator's command as the main function of a process: prints its result and sets the exit code.
 * @param failure the beginning of the message if the command throws, for example `The password was not changed`.
 */
export const runOperatorCommand = async (
  command: () => Promise<CommandResult>,
  failure: string,
): Promise<void> => {
  const { exitCode, text } = await runCatching(command, failure);
  if (exitCode === 0) console.log(text);
  else console.error(text);
  process.exitCode = exitCode;
};

/** Runs a command; an error that it throws becomes its result. */
const runCatching = async (
  command: () => Promise<CommandResult>,
  failure: string,
): Promise<CommandResult> => {
  try {
    return await command();
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    return { exitCode: 1, text: `${failure}: ${reason}` };
  }
};
