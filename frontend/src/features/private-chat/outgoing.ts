import { privateReplySchema } from '@thaw/contract/private-chat';
import { clientIdSchema, idSchema, messageTypeSchema } from '@thaw/contract/scalars';
import * as z from 'zod/mini';

/** A message on its way: written, and not yet known to be stored. */
const outgoingSchema = z.object({
  clientId: clientIdSchema,
  friendId: idSchema,
  content: z.string(),
  type: messageTypeSchema,
  replyTo: z.nullable(privateReplySchema),
  /** When it was written, in milliseconds since the epoch. */
  at: z.number(),
  delivery: z.enum(['sending', 'failed']),
});
export type OutgoingMessage = z.infer<typeof outgoingSchema>;

/** In the order of writing. */
export type Outbox = readonly OutgoingMessage[];

const storageKey = (userId: number): string => `thaw-outgoing-${userId}`;

/**
 * What a reload of this page found unsent. It is the tab's own (session storage): another tab has its own messages on
 * their way.
 */
export const readOutbox = (userId: number): Outbox => {
  try {
    const parsed = z
      .array(outgoingSchema)
      .safeParse(JSON.parse(sessionStorage.getItem(storageKey(userId)) ?? '[]'));
    return parsed.success ? parsed.data : [];
  } catch {
    return [];
  }
};

export const writeOutbox = (userId: number, outbox: Outbox): void => {
  try {
    if (outbox.length === 0) sessionStorage.removeItem(storageKey(userId));
    else sessionStorage.setItem(storageKey(userId), JSON.stringify(outbox));
  } catch {
    // Kept by the page alone, then.
  }
};

export const without = (outbox: Outbox, clientId: string): Outbox =>
  outbox.some((message) => message.clientId === clientId)
    ? outbox.filter((message) => message.clientId !== clientId)
    : outbox;

export const withDelivery = (
  outbox: Outbox,
  clientId: string,
  delivery: OutgoingMessage['delivery'],
): Outbox => outbox.map((message) => (message.clientId === clientId ? { ...message, delivery } : message));

/** The connection is given up: what was on its way waits for Retry. */
export const allFailed = (outbox: Outbox): Outbox =>
  outbox.map((message) => (message.delivery === 'failed' ? message : { ...message, delivery: 'failed' }));
