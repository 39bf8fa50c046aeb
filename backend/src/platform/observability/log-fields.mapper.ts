import { QueryFailedError } from 'typeorm';

/** All fields that a log line may have besides time, level, service and replica. */
export interface LogFields {
  correlationId?: string;
  /** Class or part of the process that writes the line. */
  context?: string;
  method?: string;
  /** Template of the route, never the requested path. */
  route?: string;
  status?: number;
  durationMs?: number;
  userId?: number;
  code?: string;
  /** Number of items that the message is about. */
  count?: number;
  error?: ErrorFields;
}

export interface ErrorFields {
  name: string;
  message: string;
  stack?: string;
  code?: string;
  constraint?: string;
  cause?: ErrorFields;
}

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Used instead of `instanceof Error`, because errors of another realm, such as a `vm` context, have another class. */
const isErrorLike = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';

/** Longest chain of causes that is converted. Without a limit, an error that is its own cause would never end. */
const MAX_CAUSES = 3;

const convertError = (error: unknown, remainingCauses: number): ErrorFields => {
  // Any other thrown value may contain personal data, so only its type is logged.
  if (!isErrorLike(error)) return { name: 'NotAnError', message: typeof error };
  // TypeORM wraps the driver's error, which has the code of PostgreSQL.
  const { code, constraint } = (error instanceof QueryFailedError ? error.driverError : error) as {
    code?: unknown;
    constraint?: unknown;
  };
  const hasCauseToConvert = error.cause !== undefined && remainingCauses > 0;
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code: readText(code),
    constraint: readText(constraint),
    cause: hasCauseToConvert ? convertError(error.cause, remainingCauses - 1) : undefined,
  };
};

/**
 * Converts an error for the log. Leaves out the parameters of a failed SQL statement and PostgreSQL's `detail`, which
 * quotes rows.
 */
export const toErrorFields = (error: unknown): ErrorFields => convertError(error, MAX_CAUSES);
