import { OptionalServerError } from './optional-server.errors';
import { OptionalServerLimiter } from './optional-server.limiter';

describe('OptionalServerLimiter', () => {
  let warn: jest.Mock;
  let limiter: OptionalServerLimiter;
  beforeEach(() => {
    warn = jest.fn();
    limiter = new OptionalServerLimiter('The server', { warn });
  });

  const askAnsweringServer = () => limiter.ask(() => Promise.resolve(7));
  const askFailingServer = () => limiter.ask(() => Promise.reject(new OptionalServerError('status 500')));

  it('sends 32 requests at once, and skips further ones until one of them is answered', async () => {
    const resolvers: ((value: number) => void)[] = [];
    const outcomes = Array.from({ length: 32 }, () =>
      limiter.ask(() => new Promise<number>((resolve) => resolvers.push(resolve))),
    );
    expect(await askAnsweringServer()).toEqual({ outcome: 'skipped' });
    resolvers[0]?.(1);
    expect(await outcomes[0]).toEqual({ outcome: 'answered', answer: 1 });
    expect(await askAnsweringServer()).toEqual({ outcome: 'answered', answer: 7 });
  });

  it('skips requests after three failures in a row, and logs one line', async () => {
    await askFailingServer();
    await askFailingServer();
    await askAnsweringServer();
    for (let count = 0; count < 3; count += 1)
      expect(await askFailingServer()).toEqual({ outcome: 'failed' });
    expect(await askAnsweringServer()).toEqual({ outcome: 'skipped' });
    expect(warn.mock.calls).toEqual([['The server has failed 3 times in a row: status 500']]);
  });

  it('throws errors that are not failures of the server', async () => {
    await expect(limiter.ask(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug');
  });
});
