import { Inject, Injectable, type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { toErrorFields, type ErrorFields, type LogFields } from './log-fields.mapper';

/** Contexts of Nest's loggers that list the modules and routes at every start. Their lines are logged as `debug`. */
const startUpContexts: ReadonlySet<unknown> = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

const createPino = (
  environment: Pick<Environment, 'LOG_LEVEL' | 'replicaId'>,
  destination?: DestinationStream,
): Logger =>
  pino(
    {
      level: environment.LOG_LEVEL,
      messageKey: 'message',
      base: { service: 'thaw', replica: environment.replicaId },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? pino.destination({ dest: 1, sync: true }),
  );

/** The text of a message of Nest's logger. Objects other than errors are not logged: they may hold personal data. */
const toText = (message: unknown): string => {
  if (typeof message === 'string') return message;
  return message instanceof Error ? message.message : 'Notice';
};

/** The error that Nest logs: among the arguments, or only as the text of its stack. */
const findError = (
  message: unknown,
  rest: readonly unknown[],
  stack: string | undefined,
): ErrorFields | undefined => {
  const thrown = [message, ...rest].find((value) => value instanceof Error);
  if (thrown) return toErrorFields(thrown);
  if (!stack) return undefined;
  return { name: 'Error', message: typeof message === 'string' ? message : '', stack };
};

/** Writes JSON lines to standard output, including those of Nest's own logger. */
@Injectable()
export class AppLoggerService implements LoggerService {
  private readonly pino: Logger;

  constructor(
    @Inject(ENVIRONMENT) environment: Pick<Environment, 'LOG_LEVEL' | 'replicaId'>,
    destination?: DestinationStream,
  ) {
    this.pino = createPino(environment, destination);
  }

  /** Writes one line. `LogFields` has no field for personal data, and the message must not contain any either. */
  write(level: Level, message: string, fields: LogFields = {}): void {
    this.pino[level](fields, message);
  }

  /** Logs an unexpected error with its details. */
  logFailure(message: string, error: unknown, fields: LogFields = {}): void {
    this.write('error', message, { ...fields, error: toErrorFields(error) });
  }

  log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    this.writeForNest(startUpContexts.has(context) ? 'debug' : 'info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.writeForNest('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.writeForNest('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.writeForNest('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.writeForNest('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.writeForNest('trace', message, rest);
  }

  /**
   * Writes a line of Nest's logger.
   * @param rest the arguments after the message. By Nest's convention, the context is the last string. If there are
   * several strings, the first is the stack of an error.
   */
  private writeForNest(level: Level, message: unknown, rest: readonly unknown[]): void {
    const strings = rest.filter((value) => typeof value === 'string');
    const context = strings.at(-1);
    const stack = strings.length > 1 ? strings[0] : undefined;
    this.write(level, toText(message), { context, error: findError(message, rest, stack) });
  }
}
