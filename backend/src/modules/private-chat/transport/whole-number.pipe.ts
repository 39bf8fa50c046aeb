import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error';

/** A number from 1 in a query, if there is one. @throws DomainError validation_failed */
@Injectable()
export class WholeNumber implements PipeTransform<unknown, number | undefined> {
  transform(value: unknown): number | undefined {
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(number)) throw new DomainError('validation_failed');
    return number;
  }
}
