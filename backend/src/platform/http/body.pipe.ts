import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { DomainError } from '../errors/domain.errors';

/**
 * Converts a body to a validated instance of a DTO. Unknown fields are dropped, so that newer clients keep working.
 * @throws DomainError validation_failed. The error quotes nothing from the body, which may contain a password.
 */
export const toValidDto = async <Dto extends object>(dto: Type<Dto>, body: unknown): Promise<Dto> => {
  if (typeof body !== 'object' || body === null) throw new DomainError('validation_failed');
  const instance = plainToInstance(dto, body);
  const problems = await validate(instance, { whitelist: true, forbidUnknownValues: true });
  if (problems.length > 0) throw new DomainError('validation_failed');
  return instance;
};

/** Validates the body of one route: `@Body(new ValidBodyPipe(CredentialsDto))`. */
@Injectable()
export class ValidBodyPipe<Dto extends object> implements PipeTransform<unknown, Promise<Dto>> {
  constructor(private readonly dto: Type<Dto>) {}

  transform(body: unknown): Promise<Dto> {
    return toValidDto(this.dto, body);
  }
}
