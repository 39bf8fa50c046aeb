import * as z from 'zod/mini';
import { refSchema } from './scalars.js';

/**
 * The form of every frame, in both directions. `ref` is an id that the client assigns to a frame; the server's response
 * to this frame has the same `ref`.
 */
export const envelopeSchema = z.object({
  event: z.string().check(z.minLength(1), z.maxLength(64)),
  data: z.optional(z.unknown()),
  ref: z.optional(refSchema),
});
export type Envelope = z.infer<typeof envelopeSchema>;
