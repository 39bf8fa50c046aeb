import type { ValueTransformer } from 'typeorm';

/** Maps bigint columns to numbers; for ids below 2^53 only (A09). */
export const bigintAsNumber: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};
