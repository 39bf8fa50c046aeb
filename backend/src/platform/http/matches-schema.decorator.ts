import { ValidateBy } from 'class-validator';

interface Schema {
  safeParse(value: unknown): { success: boolean };
}

/** The field is what the contract's schema says, so that browser and server never differ about it. */
export const MatchesSchema = (schema: Schema): PropertyDecorator =>
  ValidateBy({
    name: 'fits',
    validator: { validate: (value: unknown) => schema.safeParse(value).success },
  });
