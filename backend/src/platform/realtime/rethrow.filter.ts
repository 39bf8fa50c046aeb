import { Catch, type ExceptionFilter } from '@nestjs/common';

/** Hands a gateway's errors on to the socket adapter, which answers them with `error` frames. */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(exception: unknown): never {
    throw exception;
  }
}
