import { Inject, Injectable, type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { toErrorFields, type LogFields } from './log-fields.mapper';

/** Contexts of Nest's loggers that list the modules and routes at every start. */
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
    const isAboutStartUp = startUpContexts.has(rest.at(-1));
    this.writeForNest(isAboutStartUp ? 'debug' : 'info', message, rest);
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
   * Writes a line of Nest's logger. By its convention, the arguments are the message, then the stack of an error if
   * there is one, then the context as the last string.
   */
  private writeForNest(level: Level, message: unknown, rest: readonly unknown[]): void {
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
