import { QueryFailedError } from 'typeorm';
import { isStoreFailure } from './store-failure';

const failedQuery = (code: string) =>
  new QueryFailedError('SELECT 1', [], Object.assign(new Error('from the server'), { code }));

describe('isStoreFailure', () => {
  it.each([
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    { message: 'read ECONNRESET', code: 'ECONNRESET' },
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Command timed out'),
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    new Error('Reached the max retries per request limit (which is 1).'),
    new Error('Connection is closed.'),
    failedQuery('57P01'),
    failedQuery('57014'),
    failedQuery('53300'),
    failedQuery('08006'),
    failedQuery('55P03'),
  ])('is what an away store says (%#)', (error) => {
    expect(isStoreFailure(error)).toBe(true);
  });

  it.each([
    new Error('a bug'),
    failedQuery('23505'),
    failedQuery('42P01'),
    null,
    undefined,
    'ECONNREFUSED',
    {},
  ])('is not what a bug says (%#)', (error) => {
    expect(isStoreFailure(error)).toBe(false);
  });
});
