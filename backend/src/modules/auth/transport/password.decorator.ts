import { limits } from '@thaw/contract/limits';
import { codePointLength } from '@thaw/contract/text';
import { ValidateBy } from 'class-validator';

/**
 * A password as received: a string of well-formed Unicode. Lone surrogates have no UTF-8 encoding, so passwords that
 * differ only in them would be equal.
 */
export const IsGivenPassword = (): PropertyDecorator =>
  ValidateBy({
    name: 'isGivenPassword',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' && value.length <= 2 * limits.passwordMaxLength && value.isWellFormed(),
    },
  });

/** A new password: additionally checks the length limits, in code points. */
export const IsPassword = (): PropertyDecorator => (target, property) => {
  IsGivenPassword()(target, property);
  ValidateBy({
    name: 'isPassword',
    validator: {
      validate: (value: unknown) => {
        const length = typeof value === 'string' ? codePointLength(value) : 0;
        return length >= limits.passwordMinLength && length <= limits.passwordMaxLength;
      },
    },
  })(target, property);
};
