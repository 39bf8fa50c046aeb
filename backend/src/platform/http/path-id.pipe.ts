import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../errors/domain.errors';

/** A decimal number from 1 that JavaScript holds exactly; undefined for everything else. */
export const positiveInteger = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
};

/** An id in a path. What cannot be an id is the id of nothing: 404. */
@Injectable()
export class PathIdPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    const id = positiveInteger(value);
    if (id === undefined) throw new DomainError('not_found');
    return id;
  }
}
