import * as z from 'zod/mini';
import { refSchema } from './scalars.js';

/** The one envelope of both directions (A104). */
export const envelopeSchema = z.object({
  event: z.string().check(z.minLength(1), z.maxLength(64)),
  data: z.optional(z.unknown()),
  ref: z.optional(refSchema),
});
export type Envelope = z.infer<typeof envelopeSchema>;
