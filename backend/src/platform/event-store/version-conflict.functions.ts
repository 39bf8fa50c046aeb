import { DomainError } from '../errors/domain.errors';
import { StreamVersionConflictError } from './event-store.errors';

/**
 * Runs the command of a request. `work` itself retries after a version conflict.
 * @throws DomainError unavailable when the last attempt ended in a version conflict.
 * @throws any other error of `work`.
 */
export const throwUnavailableOnConflict = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StreamVersionConflictError) throw new DomainError('unavailable');
    throw error;
  }
};
