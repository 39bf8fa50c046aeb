import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { parsePositiveInteger } from '../../../platform/http/path-id.pipe';

/**
 * Parses an optional page size in a query string, a positive integer. `max` is both the limit and the default.
 * @throws DomainError validation_failed
 */
export class OptionalPageSizePipe implements PipeTransform<unknown, number> {
  constructor(private readonly max: number) {}

  transform(value: unknown): number {
    if (value === undefined) return this.max;
    const number = parsePositiveInteger(value);
    if (number === undefined || number > this.max) throw new DomainError('validation_failed');
    return number;
  }
}

/**
 * Accepts a parameter that is absent or occurs once. One that occurs more than once is an array, and is refused.
 * @throws DomainError validation_failed
 */
@Injectable()
export class OptionalTextPipe implements PipeTransform<unknown, string | undefined> {
  transform(value: unknown): string | undefined {
    if (value !== undefined && typeof value !== 'string') throw new DomainError('validation_failed');
    return value;
  }
}
