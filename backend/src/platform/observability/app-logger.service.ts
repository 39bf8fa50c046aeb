import { Inject, Injectable, type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { ENVIRONMENT, type Environment } from '../../config/environment.config';
import { errorFields, type LogFields } from './log-fields.mapper';

/** Parts of Nest that say at every start how it put the application together. */
const wiring: ReadonlySet<unknown> = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

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

/** JSON lines on standard output. Nest's own logger speaks through it too. */
@Injectable()
export class AppLoggerService implements LoggerService {
  private readonly pino: Logger;

  constructor(
    @Inject(ENVIRONMENT) environment: Pick<Environment, 'LOG_LEVEL' | 'replicaId'>,
    destination?: DestinationStream,
  ) {
    this.pino = createPino(environment, destination);
  }

  /** One line. Fields are a closed set, so that nothing personal can slip in. */
  write(level: Level, message: string, fields: LogFields = {}): void {
    this.pino[level](fields, message);
  }

  /** Something that should not have happened, with all that helps to find it. */
  failure(message: string, error: unknown, fields: LogFields = {}): void {
    this.write('error', message, { ...fields, error: errorFields(error) });
  }

  log(message: unknown, ...rest: unknown[]): void {
    const isAboutWiring = wiring.has(rest.at(-1));
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

  /** Nest's convention: message, then a stack (of errors), then the context as the last string. */
  private fromNest(level: Level, message: unknown, rest: readonly unknown[]): void {
    const strings = rest.filter((value) => typeof value === 'string');
    const context = strings.at(-1);
    const thrown = [message, ...rest].find((value) => value instanceof Error);
    const stack = strings.length > 1 ? strings[0] : undefined;
    const error = thrown
      ? errorFields(thrown)
      : stack && { name: 'Error', message: typeof message === 'string' ? message : '', stack };
    const said =
      typeof message === 'string' ? message : message instanceof Error ? message.message : 'Notice';
    this.write(level, said, { context, ...(error ? { error } : {}) });
  }
}
