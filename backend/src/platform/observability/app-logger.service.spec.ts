import { Writable } from 'node:stream';
import { QueryFailedError } from 'typeorm';
import { AppLoggerService } from './app-logger.service';

const captureLogs = (work: (logger: AppLoggerService) => void) => {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  work(new AppLoggerService({ LOG_LEVEL: 'info', replicaId: 'api-1' }, destination));
  return lines;
};

describe('AppLoggerService', () => {
  it('writes one JSON object with time, level, service and replica', () => {
    const [line] = captureLogs((logger) => logger.write('warn', 'Something', { userId: 7 }));
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      level: 'warn',
      service: 'thaw',
      replica: 'api-1',
      message: 'Something',
      userId: 7,
    });
  });

  it('writes the correlation id of a failure', () => {
    const [line] = captureLogs((logger) =>
      logger.logFailure('A request failed', new Error('no'), { correlationId: 'c-1' }),
    );
    expect(line).toMatchObject({ correlationId: 'c-1' });
  });

  it('omits the parameter values and the quoted row of a failed statement', () => {
    const driverError = Object.assign(
      new Error('duplicate key value violates unique constraint "users_email_key"'),
      {
        code: '23505',
        constraint: 'users_email_key',
        detail: 'Key (lower(email))=(ada@example.org) already exists.',
      },
    );
    const error = new QueryFailedError('INSERT INTO users VALUES ($1)', ['ada@example.org'], driverError);
    const [line] = captureLogs((logger) => logger.logFailure('A request failed', error));
    expect(line).toMatchObject({ level: 'error', error: { code: '23505', constraint: 'users_email_key' } });
    expect(JSON.stringify(line)).not.toContain('ada@');
  });

  it('includes the causes of an error', () => {
    const error = new Error('outer', { cause: new Error('inner') });
    const [line] = captureLogs((logger) => logger.logFailure('Failed', error));
    expect(line).toMatchObject({ error: { message: 'outer', cause: { message: 'inner' } } });
  });

  it('logs an error that is its own cause', () => {
    const error = new Error('endless');
    error.cause = error;
    const [line] = captureLogs((logger) => logger.logFailure('Failed', error));
    expect(line).toMatchObject({ error: { message: 'endless' } });
  });

  it('logs only the type of a thrown value that is not an error', () => {
    const [line] = captureLogs((logger) => logger.logFailure('Failed', 'not an error'));
    expect(line).toMatchObject({ error: { message: 'string' } });
    expect(JSON.stringify(line)).not.toContain('not an error');
  });

  it('writes the log lines of Nest, but not those about routes', () => {
    const lines = captureLogs((logger) => {
      logger.log('Started', 'NestApplication');
      logger.error('Broken', 'Error: Broken\n    at x', 'ExceptionHandler');
      logger.warn(new Error('Odd'), 'Somewhere');
      logger.log('Mapped', 'RouterExplorer');
    });
    expect(lines).toMatchObject([
      { level: 'info', message: 'Started', context: 'NestApplication' },
      { level: 'error', context: 'ExceptionHandler', error: { stack: expect.stringContaining('at x') } },
      { level: 'warn', message: 'Odd', context: 'Somewhere', error: { message: 'Odd' } },
    ]);
  });
});
