import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Name of the unique constraint or index that a failed statement ran into, if that is why it failed. */
export const violatedUniqueConstraint = (error: unknown): string | undefined => {
  if (!(error instanceof QueryFailedError)) return undefined;
  const driverError = error.driverError as { code?: string; constraint?: string };
  return driverError.code === UNIQUE_VIOLATION ? driverError.constraint : undefined;
};
