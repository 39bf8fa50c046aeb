import { QueryFailedError } from 'typeorm';

const UNIQUE_VIOLATION = '23505';

/** Returns the name of the unique constraint or index whose violation an error reports; undefined for other errors. */
export const findViolatedUniqueConstraint = (error: unknown): string | undefined => {
  if (!(error instanceof QueryFailedError)) return undefined;
  const driverError = error.driverError as { code?: string; constraint?: string };
  return driverError.code === UNIQUE_VIOLATION ? driverError.constraint : undefined;
};
