import { logWarning, logRejections } from './warn-about.functions';

describe('logWarning', () => {
  it('logs what failed and the reason in one line', () => {
    const warn = jest.fn();
    logWarning({ warn }, 'Chats were not compared', new Error('Connection is closed.'));
    expect(warn.mock.calls).toEqual([['Chats were not compared: Connection is closed.']]);
  });

  it('logs `unknown` instead of a thrown value that is not an Error', () => {
    const warn = jest.fn();
    logWarning({ warn }, 'Chats were not compared', 'a string that was thrown');
    expect(warn.mock.calls).toEqual([['Chats were not compared: unknown']]);
  });
});

describe('logRejections', () => {
  it('logs one line for several failures, and none without a failure', async () => {
    const warn = jest.fn();
    logRejections({ warn }, 'Retries failed', await Promise.allSettled([Promise.resolve()]));
    expect(warn).not.toHaveBeenCalled();
    const results = [
      Promise.resolve(),
      Promise.reject(new Error('first')),
      Promise.reject(new Error('second')),
    ];
    logRejections({ warn }, 'Retries failed', await Promise.allSettled(results));
    expect(warn.mock.calls).toEqual([['Retries failed (2): first']]);
  });
});
