import { ValidateBy } from 'class-validator';

interface Schema {
  safeParse(value: unknown): { success: boolean };
}

/** Validates a field with the contract's schema, so that browser and server apply the same rule. */
export const MatchesSchema = (schema: Schema): PropertyDecorator =>
  ValidateBy({
    name: 'matchesSchema',
    validator: { validate: (value: unknown) => schema.safeParse(value).success },
  });
