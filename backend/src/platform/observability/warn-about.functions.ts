import type { LoggerService } from '@nestjs/common';

/** Returns an error's message for a log line, without stack and details, which may quote user input. */
export const readErrorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : 'unknown';

/** Logs a failure that the caller tolerates. */
export const logWarning = (logger: Pick<LoggerService, 'warn'>, what: string, error: unknown): void => {
  logger.warn(`${what}: ${readErrorMessage(error)}`);
};

/** Logs one line for all rejected results, with their number and the first reason; nothing if none was rejected. */
export const logRejections = (
  logger: Pick<LoggerService, 'warn'>,
  what: string,
  results: readonly PromiseSettledResult<unknown>[],
): void => {
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  if (reasons.length > 0) logWarning(logger, `${what} (${reasons.length})`, reasons[0]);
};
