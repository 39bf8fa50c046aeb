import { Injectable, type PipeTransform } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain.errors';

interface Schema<Value> {
  safeParse(value: unknown): { success: true; data: Value } | { success: false };
}

/**
 * Parses a body or a query parameter with a schema of the contract. Unlike the decorators of a DTO, such a schema can
 * have rules that span several fields.
 * @throws DomainError validation_failed
 */
@Injectable()
export class ContractValuePipe<Value> implements PipeTransform<unknown, Value> {
  constructor(
    private readonly schema: Schema<Value>,
    /** The result for an absent query parameter. */
    private readonly fallback?: Value,
  ) {}

  transform(value: unknown): Value {
    if (value === undefined && this.fallback !== undefined) return this.fallback;
    const parsed = this.schema.safeParse(value);
    if (!parsed.success) throw new DomainError('validation_failed');
    return parsed.data;
  }
}
