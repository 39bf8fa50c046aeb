import { OptionalServerError } from './optional-server.errors';
import { OptionalServerLimiter } from './optional-server.limiter';

describe('OptionalServerLimiter', () => {
  let warn: jest.Mock;
  let limiter: OptionalServerLimiter;
  beforeEach(() => {
    warn = jest.fn();
    limiter = new OptionalServerLimiter('The server', { warn });
  });

  const answer = () => limiter.ask(() => Promise.resolve(7));
  const fail = () => limiter.ask(() => Promise.reject(new OptionalServerError('status 500')));

  it('asks 32 questions at once, and skips further ones until one of them has an answer', async () => {
    const answers: ((value: number) => void)[] = [];
    const asked = Array.from({ length: 32 }, () =>
      limiter.ask(() => new Promise<number>((resolve) => answers.push(resolve))),
    );
    expect(await answer()).toEqual({ outcome: 'skipped' });
    answers[0]?.(1);
    expect(await asked[0]).toEqual({ outcome: 'answered', answer: 1 });
    expect(await answer()).toEqual({ outcome: 'answered', answer: 7 });
  });

  it('skips questions after three failures in a row, and logs that once', async () => {
    await fail();
    await fail();
    await answer();
    for (let count = 0; count < 3; count += 1) expect(await fail()).toEqual({ outcome: 'failed' });
    expect(await answer()).toEqual({ outcome: 'skipped' });
    expect(warn.mock.calls).toEqual([['The server has failed 3 times in a row: status 500']]);
  });

  it('passes on errors that are no failures of the server', async () => {
    await expect(limiter.ask(() => Promise.reject(new TypeError('a bug')))).rejects.toThrow('a bug');
  });
});
