import type { ValueTransformer } from 'typeorm';

/** Maps bigint columns to numbers. For ids only: they are below 2^53 (docs/product-decisions.md, A09). */
export const bigintAsNumber: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};
