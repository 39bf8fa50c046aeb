import { DomainError } from '../../../platform/errors/domain.errors';

/** The year 3000. Times beyond it are rejected, because PostgreSQL cannot represent every time of JavaScript. */
const MAX_MS = Date.UTC(3000, 0, 1);
const MAX_URGENCY = 1_000;

/** Position of the last case on a page of the queue. */
export interface CaseCursor {
  /** The time as of which all pages of the list are computed. */
  asOf: Date;
  urgency: number;
  /** The time since when the case waits; for a decided case, the time of its decision. */
  at: Date;
  id: number;
}

export const encodeCursor = ({ asOf, urgency, at, id }: CaseCursor): string =>
  Buffer.from(JSON.stringify([asOf.getTime(), urgency, at.getTime(), id])).toString('base64url');

/** @throws DomainError validation_failed when the text is not a cursor */
export const decodeCursor = (text: string): CaseCursor => {
  const numbers = parseNumbers(text);
  const [asOfMs, urgency, atMs, id] = numbers;
  if (asOfMs === undefined || urgency === undefined || atMs === undefined || id === undefined)
    throw new DomainError('validation_failed');
  const [asOf, at] = [new Date(asOfMs), new Date(atMs)];
  if (
    numbers.length !== 4 ||
    Math.abs(asOfMs) > MAX_MS ||
    Math.abs(atMs) > MAX_MS ||
    Math.abs(urgency) > MAX_URGENCY
  )
    throw new DomainError('validation_failed');
  return { asOf, urgency, at, id };
};

const parseNumbers = (text: string): number[] => {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(values) && values.every((value) => Number.isSafeInteger(value))
      ? (values as number[])
      : [];
  } catch {
    return [];
  }
};
