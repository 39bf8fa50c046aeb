import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { parsePositiveInteger } from '../../../platform/http/path-id.pipe';

/**
 * Parses an optional integer of at least 1 from a query.
 * @throws DomainError validation_failed
 */
@Injectable()
export class WholeNumberPipe implements PipeTransform<unknown, number | undefined> {
  transform(value: unknown): number | undefined {
    if (value === undefined) return undefined;
    const number = parsePositiveInteger(value);
    if (number === undefined) throw new DomainError('validation_failed');
    return number;
  }
}
