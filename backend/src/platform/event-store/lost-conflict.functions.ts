import { DomainError } from '../errors/domain.errors';
import { StreamVersionConflictError } from './event-store.errors';

/**
 * Runs the command of a request. `work` retries version conflicts itself.
 * @throws DomainError unavailable when the last attempt had a version conflict, too; whatever else `work` throws.
 */
export const refuseLostConflict = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StreamVersionConflictError) throw new DomainError('unavailable');
    throw error;
  }
};
