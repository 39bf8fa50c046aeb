import { limits } from '@thaw/contract/limits';
import { countCodePoints } from '@thaw/contract/text';
import { ValidateBy } from 'class-validator';

/** The longest password, in UTF-16 units as `String.length` counts them: at most two for each code point. */
const MAX_UTF16_UNITS = 2 * limits.passwordMaxLength;

/**
 * Accepts a string of well-formed Unicode that is not longer than the longest password. Lone surrogates are refused:
 * they have no UTF-8 encoding, so passwords that differ only in them would have the same hash. This validator is for
 * current passwords: one that is too short for a new password is a wrong password, not an invalid body.
 */
export const IsWellFormedPassword = (): PropertyDecorator =>
  ValidateBy({
    name: 'isWellFormedPassword',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string' && value.length <= MAX_UTF16_UNITS && value.isWellFormed(),
    },
  });

/** Accepts a well-formed password whose length, in code points, is within the limits of a new password. */
export const IsPassword = (): PropertyDecorator => (target, property) => {
  IsWellFormedPassword()(target, property);
  ValidateBy({
    name: 'isPassword',
    validator: {
      validate: (value: unknown) => {
        const length = typeof value === 'string' ? countCodePoints(value) : 0;
        return length >= limits.passwordMinLength && length <= limits.passwordMaxLength;
      },
    },
  })(target, property);
};
