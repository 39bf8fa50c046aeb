import { Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { DomainError } from '../errors/domain.errors';

/**
 * A checked instance of a DTO. Unknown fields are dropped, an old server must survive a new client.
 * @throws DomainError validation_failed, without any of what was sent.
 */
export const toValid = async <Dto extends object>(dto: Type<Dto>, body: unknown): Promise<Dto> => {
  if (typeof body !== 'object' || body === null) throw new DomainError('validation_failed');
  const instance = plainToInstance(dto, body);
  const problems = await validate(instance, { whitelist: true, forbidUnknownValues: true });
  if (problems.length > 0) throw new DomainError('validation_failed');
  return instance;
};

/** For one body of one route, as `@Body(new Valid(CredentialsDto))`: nothing here runs on socket frames. */
@Injectable()
export class ValidBodyPipe<Dto extends object> implements PipeTransform<unknown, Promise<Dto>> {
  constructor(private readonly dto: Type<Dto>) {}

  transform(body: unknown): Promise<Dto> {
    return toValid(this.dto, body);
  }
}
