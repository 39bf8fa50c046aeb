import * as z from 'zod/mini';
import { refSchema } from './scalars.js';

/** The envelope of every frame, in both directions (A104). A reply carries the `ref` of the frame it answers. */
export const envelopeSchema = z.object({
  event: z.string().check(z.minLength(1), z.maxLength(64)),
  data: z.optional(z.unknown()),
  ref: z.optional(refSchema),
});
export type Envelope = z.infer<typeof envelopeSchema>;
