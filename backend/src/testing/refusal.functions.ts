import { DomainError, type DomainErrorCode } from '../platform/errors/domain.errors';

/** Expects that `work` throws a `DomainError` with this code. */
export const expectRefusal = (work: () => unknown, code: DomainErrorCode): void => {
  let refusal: unknown;
  try {
    work();
  } catch (error) {
    refusal = error;
  }
  if (!(refusal instanceof DomainError)) throw new Error(`Expected ${code}, got ${String(refusal)}`);
  expect(refusal.code).toBe(code);
};
