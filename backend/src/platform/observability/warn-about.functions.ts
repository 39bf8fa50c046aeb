import type { LoggerService } from '@nestjs/common';

/** An error's message, for a log line; never its stack or its details, which may quote what users wrote. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');

/** Logs a failure that the caller goes on without. */
export const warnAbout = (logger: Pick<LoggerService, 'warn'>, what: string, error: unknown): void => {
  logger.warn(`${what}: ${reasonOf(error)}`);
};

/** One line for all of several that failed, with their number and the first reason; none when nothing did. */
export const warnAboutFailed = (
  logger: Pick<LoggerService, 'warn'>,
  what: string,
  results: readonly PromiseSettledResult<unknown>[],
): void => {
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  if (reasons.length > 0) warnAbout(logger, `${what} (${reasons.length})`, reasons[0]);
};
