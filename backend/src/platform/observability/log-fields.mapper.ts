import { QueryFailedError } from 'typeorm';

/** Everything that may stand in a line of the log beside time, level, service and replica. Nothing else is written. */
export interface LogFields {
  correlationId?: string;
  /** Class or part of the process that speaks. */
  context?: string;
  method?: string;
  /** Template of the route, never the path that was asked for. */
  route?: string;
  status?: number;
  durationMs?: number;
  userId?: number;
  code?: string;
  /** How many of what the message says. */
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

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** `instanceof` is not enough: errors come from other realms, too. */
const isErrorLike = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';

/** What the log keeps of an error: never the parameters of a statement, nor PostgreSQL's detail, which quotes rows. */
export const errorFields = (error: unknown, depth = 0): ErrorFields => {
  if (!isErrorLike(error)) return { name: 'NotAnError', message: typeof error };
  const source = (error instanceof QueryFailedError ? error.driverError : error) as {
    code?: unknown;
    constraint?: unknown;
  };
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code: text(source.code),
    constraint: text(source.constraint),
    cause: error.cause === undefined || depth >= 3 ? undefined : errorFields(error.cause, depth + 1),
  };
};
