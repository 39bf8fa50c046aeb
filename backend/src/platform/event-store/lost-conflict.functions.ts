import { DomainError } from '../errors/domain.errors';
import { StreamVersionConflictError } from './event-store.errors';

/**
 * Runs a command that has its own attempts, for a request.
 * @throws DomainError unavailable when optimistic concurrency was lost on every attempt; whatever else `work` throws.
 */
export const refuseLostConflict = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StreamVersionConflictError) throw new DomainError('unavailable');
    throw error;
  }
};
