import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';
import { hasForbiddenKey } from '../../../platform/json/untrusted-json.parser';

/**
 * Copies the fields of a form to a plain object: multer's object has no prototype.
 * @throws DomainError validation_failed for names that could change a prototype.
 */
@Injectable()
export class PlainFieldsPipe implements PipeTransform<unknown, object> {
  transform(fields: unknown): object {
    if (hasForbiddenKey(fields)) throw new DomainError('validation_failed');
    return { ...(fields as object) };
  }
}
