import { limits } from '@thaw/contract/limits';
import { codePointLength } from '@thaw/contract/text';
import { ValidateBy } from 'class-validator';

/**
 * A password as it may be sent: a string of well-formed Unicode. Half a surrogate pair has no UTF-8, so that passwords
 * that differ in nothing else would be one.
 */
export const IsGivenPassword = (): PropertyDecorator =>
  ValidateBy({
    name: 'isGivenPassword',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' && value.length <= 2 * limits.passwordMaxLength && value.isWellFormed(),
    },
  });

/** A new password: also as long as it must be and no longer than it may, counted in code points. */
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
