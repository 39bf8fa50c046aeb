// Breaks the rule `the-contract-imports-only-zod-mini` of .dependency-cruiser.cjs, so that a test can prove the rule.
import * as z from 'zod';

export const schema = z.string();
