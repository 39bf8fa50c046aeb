import type { ValueTransformer } from 'typeorm';

/** bigint columns that hold ids below 2^53, as numbers (A09). */
export const bigintAsNumber: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};
