import { DomainError } from '../../../platform/errors/domain.errors';

/** Later than the time of any case, and within the range of PostgreSQL: a later time would make the query fail. */
const MAX_TIME_MS = Date.UTC(3000, 0, 1);
/** The highest urgency of a case; case-queue.sql.ts limits it. */
const MAX_URGENCY = 1_000;

/** The numbers in the text of a cursor. */
type CursorNumbers = [asOfMs: number, urgency: number, sortTimeMs: number, id: number];
/**
 * A client can send back any numbers, even negative ones. Those with a greater absolute value are refused, so that all
 * others are in the range of their SQL types.
 */
const MAX_ABSOLUTE_VALUES: CursorNumbers = [MAX_TIME_MS, MAX_URGENCY, MAX_TIME_MS, Number.MAX_SAFE_INTEGER];

/** Position of the last case on a page of the queue or of the list of decided cases. Clients send it back as text. */
export interface CaseCursor {
  /** The time as of which all pages are computed. */
  asOf: Date;
  urgency: number;
  /** When the case began to wait for a moderator; in the list of decided cases, when the case was decided. */
  sortTime: Date;
  id: number;
}

export const encodeCursor = ({ asOf, urgency, sortTime, id }: CaseCursor): string =>
  Buffer.from(JSON.stringify([asOf.getTime(), urgency, sortTime.getTime(), id])).toString('base64url');

/** @throws DomainError validation_failed when the text is not a cursor */
export const decodeCursor = (text: string): CaseCursor => {
  const numbers = parseNumbers(text);
  if (!isCursor(numbers)) throw new DomainError('validation_failed');
  const [asOfMs, urgency, sortTimeMs, id] = numbers;
  return { asOf: new Date(asOfMs), urgency, sortTime: new Date(sortTimeMs), id };
};

const isCursor = (numbers: number[]): numbers is CursorNumbers =>
  numbers.length === MAX_ABSOLUTE_VALUES.length &&
  numbers.every((number, index) => Math.abs(number) <= (MAX_ABSOLUTE_VALUES[index] ?? 0));

/** @returns the numbers of the text; an empty array when it is not a list of integers in JSON */
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
