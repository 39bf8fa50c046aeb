import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';
import { parsePositiveInteger } from './path-id.pipe';

/**
 * Parses an optional integer of at least 1 from a query.
 * @throws DomainError validation_failed for any other value.
 */
@Injectable()
export class OptionalPositiveIntegerPipe implements PipeTransform<unknown, number | undefined> {
  transform(value: unknown): number | undefined {
    if (value === undefined) return undefined;
    const number = parsePositiveInteger(value);
    if (number === undefined) throw new DomainError('validation_failed');
    return number;
  }
}
