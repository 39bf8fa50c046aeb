import type { LoggerService } from '@nestjs/common';

/**
 * Returns only the message of an error, for a log line. Other fields may contain user input, such as PostgreSQL's
 * `detail` and the parameters of a failed SQL statement.
 */
export const readErrorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : 'unknown';

/**
 * Logs a failure that the caller tolerates.
 * @param failure what did not happen, for example `Chats were not compared`.
 */
export const logWarning = (logger: Pick<LoggerService, 'warn'>, failure: string, error: unknown): void => {
  logger.warn(`${failure}: ${readErrorMessage(error)}`);
};

/** Logs one line for all rejected results, with their number and the first reason. Without any, logs nothing. */
export const logRejections = (
  logger: Pick<LoggerService, 'warn'>,
  failure: string,
  results: readonly PromiseSettledResult<unknown>[],
): void => {
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  if (reasons.length > 0) logWarning(logger, `${failure} (${reasons.length})`, reasons[0]);
};
