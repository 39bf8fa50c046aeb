import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';

/** Parses a decimal string as a positive safe integer; undefined for everything else. */
export const parsePositiveInteger = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^[1-9]\d*$/.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
};

/**
 * Parses an id in a path.
 * @throws DomainError not_found for values that cannot be an id.
 */
@Injectable()
export class PathIdPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    const id = parsePositiveInteger(value);
    if (id === undefined) throw new DomainError('not_found');
    return id;
  }
}
