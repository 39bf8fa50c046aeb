import { Inject, Injectable, type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { toErrorFields, type LogFields } from './log-fields.mapper';

/** Contexts in which Nest logs the application's wiring at every start. */
const wiringContexts: ReadonlySet<unknown> = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

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

  /**
   * Writes one line. `LogFields` has no field for personal data, and the message must not contain any either.
   */
  write(level: Level, message: string, fields: LogFields = {}): void {
    this.pino[level](fields, message);
  }

  /** Logs an unexpected error with its details. */
  logFailure(message: string, error: unknown, fields: LogFields = {}): void {
    this.write('error', message, { ...fields, error: toErrorFields(error) });
  }

  log(message: unknown, ...rest: unknown[]): void {
    const isAboutWiring = wiringContexts.has(rest.at(-1));
    this.fromNest(isAboutWiring ? 'debug' : 'info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.fromNest('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.fromNest('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.fromNest('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.fromNest('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.fromNest('trace', message, rest);
  }

  /** Nest's convention: the message, then the stack of an error, then the context as the last string. */
  private fromNest(level: Level, message: unknown, rest: readonly unknown[]): void {
    const strings = rest.filter((value) => typeof value === 'string');
    const context = strings.at(-1);
    const thrown = [message, ...rest].find((value) => value instanceof Error);
    const stack = strings.length > 1 ? strings[0] : undefined;
    const error = thrown
      ? toErrorFields(thrown)
      : stack && { name: 'Error', message: typeof message === 'string' ? message : '', stack };
    // Objects are not logged: they may hold personal data.
    const text =
      typeof message === 'string' ? message : message instanceof Error ? message.message : 'Notice';
    this.write(level, text, { context, ...(error ? { error } : {}) });
  }
}
