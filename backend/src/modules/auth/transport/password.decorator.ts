import { limits } from '@thaw/contract/limits';
import { codePointLength } from '@thaw/contract/text';
import { ValidateBy } from 'class-validator';

/** A new password: as long as it must be and no longer than it may, counted in code points. */
export const IsPassword = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPassword',
    validator: {
      validate: (value: unknown) => {
        if (typeof value !== 'string' || value.length > 2 * limits.passwordMaxLength) return false;
        const length = codePointLength(value);
        return length >= limits.passwordMinLength && length <= limits.passwordMaxLength;
      },
    },
  });
