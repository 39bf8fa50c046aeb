import { withImageMarkers } from '@thaw/contract/image-markers';
import { replyToSchema } from '@thaw/contract/random-chat';
import { clientIdSchema, messageTypeSchema } from '@thaw/contract/scalars';
import * as z from 'zod/mini';
import { type Attachment } from '@/chat-ui/attachment';
import { parseJson } from '@/lib/parse-json';
import { tabStorage } from '@/lib/storage';

const stateSchema = z.enum([
  /** Its picture is being stored. */
  'uploading',
  'sending',
  /** No answer came, or the connection was given up: sent again by itself once there is a connection. */
  'unanswered',
  /** Waits for Retry or Delete. */
  'refused',
  'upload_failed',
]);

const storedSchema = z.object({
  clientId: clientIdSchema,
  /** A session's id, or a friend's. */
  conversationId: z.string(),
  /** As it goes over the wire; the caption alone while `picture` is there. */
  content: z.string(),
  type: messageTypeSchema,
  replyTo: z.nullable(replyToSchema),
  /** When it was written, in milliseconds since the epoch. */
  at: z.number(),
  state: stateSchema,
});

/** A message that was written while connected and is not yet known to be stored. */
export type OutgoingMessage = z.infer<typeof storedSchema> & {
  picture?: Attachment & { percent: number };
};

/** The content as the server takes it, once the picture is stored. */
export const wireContent = ({ content, picture }: OutgoingMessage): string => {
  if (!picture) return content;
  const url = picture.url ?? '';
  return content === '' ? url : withImageMarkers({ text: content, imageUrls: [url] });
};

/**
 * What a reload of this page found unsent. It is the tab's own (session storage): another tab has its own outgoing
 * messages. A picture that was not stored yet cannot be kept; such messages are told apart by their state.
 */
export const readOutgoing = (key: string): OutgoingMessage[] =>
  parseJson(z.array(storedSchema), tabStorage.read(key)) ?? [];

const withoutPicture = (message: OutgoingMessage): OutgoingMessage => {
  const { picture, ...stored } = message;
  return picture?.url ? { ...stored, content: wireContent(message) } : stored;
};

export const writeOutgoing = (key: string, messages: readonly OutgoingMessage[]): void => {
  if (messages.length === 0) tabStorage.remove(key);
  // Where it is not kept, the page still has them.
  else tabStorage.write(key, JSON.stringify(messages.map(withoutPicture)));
};
